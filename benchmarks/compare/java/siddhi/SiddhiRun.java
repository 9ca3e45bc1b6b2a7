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
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        SiddhiManager manager = new SiddhiManager();
        manager.setExtension("reorder:kslack", KSlackExtension.class);
        SiddhiAppRuntime runtime = manager.createSiddhiAppRuntime(Questions.asked(arguments[0], Events.delay(folder)));
        try (Events.Answers answers = new Events.Answers(Path.of(arguments[2]))) {
            runtime.addCallback("Answers", new StreamCallback() {
                @Override
                public void receive(Event[] events) {
                    for (Event event : events) {
                        answers.add(event.getData());
                    }
                }
            });
            runtime.start();
            InputHandler relating = runtime.getInputHandler("Related");
            Events.related(folder, pair -> send(relating, 0, pair.relation(), pair.one(), pair.another()));
            InputHandler input = runtime.getInputHandler("Arrived");
            long[] now = {0};
            Events.each(folder, event -> {
                // What is sorted is handed on when the clock has moved already: so it must not leap over timers.
                now[0] = Math.min(event.arrival() * 1000, now[0] + 1000);
                send(input, now[0], event.kind(), event.device(), event.place(), event.value(), event.time(),
                        event.time() * 1000, event.device() + " " + event.place());
            });
            // The clock moves with events only: these let time go by.
            for (int tick = 1; tick <= 100; tick++) {
                send(relating, now[0] + tick * 1000, "", "", "");
            }
            runtime.shutdown();
            manager.shutdown();
        }
    }

    private static void send(InputHandler input, long now, Object... row) {
        try {
            input.send(now, row);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private SiddhiRun() {}
}
