import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;
import io.siddhi.extension.execution.reorder.KSlackExtension;
import java.nio.file.Path;

/**
 * Siddhi, with its K-slack extension to sort events that come late: WORKLOAD FOLDER OUT.
 *
 * <p>A tick is a second. K-slack learns from what it sees how long to wait, up to the largest delay there was.
 */
public final class SiddhiRun {
    private static final String IN_A_ROW =
            """
            @app:playback
            define stream Arrived (device string, value string, time long, ts long);
            from Arrived#reorder:kslack(ts) select device, value, time insert into Sorted;
            partition with (device of Sorted) begin
                from every a=Sorted[value == 'high'], b=Sorted[value == 'high' and time == a.time + 1],
                    c=Sorted[value == 'high' and time == a.time + 2]
                select a.device as device, a.time as time insert into Answers;
            end;
            """;

    public static void main(String[] arguments) throws Exception {
        SiddhiManager manager = new SiddhiManager();
        manager.setExtension("reorder:kslack", KSlackExtension.class);
        SiddhiAppRuntime runtime = manager.createSiddhiAppRuntime(IN_A_ROW);
        try (Events.Answers answers = new Events.Answers(Path.of(arguments[2]))) {
            runtime.addCallback("Answers", new StreamCallback() {
                @Override
                public void receive(Event[] events) {
                    for (Event event : events) {
                        answers.add(event.getData(0), event.getData(1));
                    }
                }
            });
            runtime.start();
            InputHandler input = runtime.getInputHandler("Arrived");
            Events.each(Path.of(arguments[1]), event -> {
                try {
                    Object[] row = {event.device(), event.value(), event.time(), event.time() * 1000};
                    input.send(event.arrival() * 1000, row);
                } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                }
            });
            runtime.shutdown();
            manager.shutdown();
        }
    }

    private SiddhiRun() {}
}
