import com.espertech.esper.common.client.EventBean;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Esper, with its time-order window to sort events that come late: WORKLOAD FOLDER OUT.
 *
 * <p>A tick is a second of Esper's clock, which follows the arrivals. The window lets go of an event when all that are
 * before it in time must have come, so what is asked of the sorted stream is true.
 */
public final class EsperRun {
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        Configuration configuration = new Configuration();
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        configuration.getCompiler().getByteCode().setAllowSubscriber(false);
        EPRuntime runtime = EPRuntimeProvider.getDefaultRuntime(configuration);
        runtime.initialize();
        var service = runtime.getEventService();
        service.advanceTime(0);
        String module = Questions.asked(arguments[0], Events.delay(folder));
        var compiled = EPCompilerProvider.getCompiler().compile(module, new CompilerArguments(configuration));
        var deployment = runtime.getDeploymentService().deploy(compiled);
        EPStatement statement = runtime.getDeploymentService().getStatement(deployment.getDeploymentId(), "answers");
        String[] names = statement.getEventType().getPropertyNames();
        try (Events.Answers answers = new Events.Answers(Path.of(arguments[2]))) {
            statement.addListener((fresh, old, of, by) -> {
                for (EventBean answer : fresh == null ? new EventBean[0] : fresh) {
                    answers.add(Arrays.stream(names).map(answer::get).toArray());
                }
            });
            var relating = service.getEventSender("Related");
            Events.related(folder, pair -> relating.sendEvent(
                    Map.of("relation", pair.relation(), "one", pair.one(), "another", pair.another())));
            long[] now = {0};
            var sender = service.getEventSender("Arrived");
            Events.each(folder, event -> {
                if (event.arrival() > now[0]) {
                    now[0] = event.arrival();
                    service.advanceTimeSpan(now[0] * 1000, 500);
                }
                sender.sendEvent(Map.of(
                        "kind", event.kind(), "device", event.device(), "place", event.place(),
                        "value", event.value(), "time", event.time()));
            });
            service.advanceTimeSpan((now[0] + 100) * 1000, 500);
        }
    }

    private EsperRun() {}
}
