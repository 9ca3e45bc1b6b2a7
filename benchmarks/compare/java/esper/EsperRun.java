import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Esper, with its time-order window to sort events that come late: WORKLOAD FOLDER OUT.
 *
 * <p>A tick is a second of Esper's clock, which follows the arrivals. The window lets go of an event when all that are
 * before it in time must have come, so what is asked of the sorted stream is true.
 */
public final class EsperRun {
    private static final String SORTED =
            """
            @public @buseventtype create schema Arrived(kind string, device string, value string, time long);
            create context ByDevice partition by device from Arrived;
            insert rstream into Sorted select rstream kind, device, value, time
                from Arrived#time_order(time * 1000L, %d milliseconds);
            """;

    private static final String IN_A_ROW =
            """
            @name('answers') select * from Sorted match_recognize (
                partition by device
                measures A.device as device, A.time as time
                all matches
                after match skip to next row
                pattern (A B C)
                define A as A.value = 'high',
                       B as B.value = 'high' and B.time = A.time + 1,
                       C as C.value = 'high' and C.time = A.time + 2);
            """;

    /** The clock is as far behind the sorted events for an alarm as for its acknowledgement. */
    private static final String UNACKNOWLEDGED =
            """
            @name('answers') select a.device as device, a.time as time from pattern [
                every a=Sorted(kind = 'Alarm')
                -> (timer:interval(5500 milliseconds) and not Sorted(kind = 'Ack', device = a.device, time > a.time))];
            """;

    private static final Map<String, String> QUESTIONS =
            Map.of("W1", IN_A_ROW, "W2", UNACKNOWLEDGED, "W6", IN_A_ROW);

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        Configuration configuration = new Configuration();
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        configuration.getCompiler().getByteCode().setAllowSubscriber(false);
        EPRuntime runtime = EPRuntimeProvider.getDefaultRuntime(configuration);
        runtime.initialize();
        runtime.getEventService().advanceTime(0);
        // An event leaves the window when it is as old as this; all that may come are before it by then.
        long kept = Events.delay(folder) * 1000 + 500;
        String module = SORTED.formatted(kept) + QUESTIONS.get(arguments[0]);
        var compiled = EPCompilerProvider.getCompiler().compile(module, new CompilerArguments(configuration));
        var deployment = runtime.getDeploymentService().deploy(compiled);
        EPStatement statement = runtime.getDeploymentService().getStatement(deployment.getDeploymentId(), "answers");
        try (Events.Answers answers = new Events.Answers(Path.of(arguments[2]))) {
            statement.addListener((fresh, old, of, by) -> {
                for (EventBean answer : fresh == null ? new EventBean[0] : fresh) {
                    answers.add(answer.get("device"), answer.get("time"));
                }
            });
            long[] now = {0};
            var service = runtime.getEventService();
            var sender = service.getEventSender("Arrived");
            Events.each(folder, event -> {
                if (event.arrival() > now[0]) {
                    now[0] = event.arrival();
                    service.advanceTimeSpan(now[0] * 1000, 500);
                }
                sender.sendEvent(Map.of(
                        "kind", event.kind(), "device", event.device(), "value", event.value(), "time", event.time()));
            });
            service.advanceTimeSpan((now[0] + 100) * 1000, 500);
        }
    }

    private EsperRun() {}
}
