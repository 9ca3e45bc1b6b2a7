import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * Flink's library of patterns: WORKLOAD FOLDER OUT PARALLELISM. A tick is a second.
 *
 * <p>One task reads the file, for its order is that of the arrivals; what comes after that is done by as many as asked.
 * What can be no part of a pattern is left out before it is sent to them.
 *
 * <p>Its watermark for a bound of lateness is a millisecond further behind than the bound, so nothing is dropped here.
 */
public final class FlinkCepRun {
    private static final String MALFUNCTION = "Malfunction";

    /** An event as Flink serialises it best: a plain object with public fields. */
    public static final class Fact {
        public String kind;
        public String device;
        public String value;
        public long time;

        public Fact() {}

        static Fact parse(String line) {
            Events.Event event = Events.Event.parse(line);
            Fact fact = new Fact();
            fact.kind = event.kind();
            fact.device = event.device();
            fact.value = event.value();
            fact.time = event.time();
            return fact;
        }
    }

    /** So far after the first event of a match; the value does not matter for what is an acknowledgement. */
    private static IterativeCondition<Fact> high(int after) {
        return new IterativeCondition<>() {
            @Override
            public boolean filter(Fact fact, Context<Fact> context) throws Exception {
                return fact.value.equals("high")
                        && fact.time == context.getEventsForPattern("first").iterator().next().time + after;
            }
        };
    }

    private static Pattern<Fact, ?> inARow() {
        return Pattern.<Fact>begin("first", AfterMatchSkipStrategy.noSkip())
                .where(SimpleCondition.of(fact -> fact.value.equals("high")))
                .next("second")
                .where(high(1))
                .next("third")
                .where(high(2));
    }

    private static Pattern<Fact, ?> unacknowledged() {
        return Pattern.<Fact>begin("first", AfterMatchSkipStrategy.noSkip())
                .where(SimpleCondition.of(fact -> fact.kind.equals("Alarm")))
                .notFollowedBy("acknowledged")
                .where(new IterativeCondition<>() {
                    @Override
                    public boolean filter(Fact fact, Context<Fact> context) throws Exception {
                        return fact.kind.equals("Ack")
                                && fact.time > context.getEventsForPattern("first").iterator().next().time;
                    }
                })
                .within(Duration.ofSeconds(6));
    }

    /** What begins no malfunction; those come with the time of their last event. */
    private static Pattern<Fact, ?> inOrder() {
        return Pattern.<Fact>begin("first", AfterMatchSkipStrategy.noSkip())
                .where(SimpleCondition.of(fact -> !fact.kind.equals(MALFUNCTION)))
                .notFollowedBy("malfunction")
                .where(new IterativeCondition<>() {
                    @Override
                    public boolean filter(Fact fact, Context<Fact> context) throws Exception {
                        return fact.kind.equals(MALFUNCTION)
                                && fact.time == context.getEventsForPattern("first").iterator().next().time;
                    }
                })
                .within(Duration.ofSeconds(3));
    }

    /** The first event of a match is what it is about. */
    public static final class First extends PatternProcessFunction<Fact, Fact> {
        @Override
        public void processMatch(Map<String, List<Fact>> match, Context context, Collector<Fact> out) {
            Fact first = match.get("first").get(0);
            Fact found = new Fact();
            found.kind = MALFUNCTION;
            found.device = first.device;
            found.value = first.value;
            found.time = first.time;
            out.collect(found);
        }
    }

    private static DataStream<Fact> high(DataStream<Fact> facts) {
        return facts.filter(fact -> fact.value.equals("high")).setParallelism(1);
    }

    private static DataStream<Fact> found(DataStream<Fact> facts, Pattern<Fact, ?> pattern) {
        return CEP.pattern(facts.keyBy(fact -> fact.device), pattern).process(new First());
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]).toAbsolutePath();
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(Integer.parseInt(arguments[3]));
        environment.getConfig().enableObjectReuse();
        var source = FileSource.forRecordStreamFormat(
                        new TextLineInputFormat(), new org.apache.flink.core.fs.Path(folder.resolve("events.csv").toUri()))
                .build();
        WatermarkStrategy<Fact> bound = WatermarkStrategy.<Fact>forBoundedOutOfOrderness(
                        Duration.ofSeconds(Events.delay(folder)))
                .withTimestampAssigner((fact, known) -> fact.time * 1000);
        DataStream<Fact> facts = environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), "events")
                .setParallelism(1)
                .map(Fact::parse)
                .returns(Fact.class)
                .setParallelism(1)
                .assignTimestampsAndWatermarks(bound)
                .setParallelism(1);
        DataStream<Fact> answers =
                switch (arguments[0]) {
                    case "W2" -> found(facts, unacknowledged());
                    case "W4" -> found(facts.union(found(high(facts), inARow())), inOrder());
                    default -> found(high(facts), inARow());
                };
        var out = new org.apache.flink.core.fs.Path(Path.of(arguments[2]).toAbsolutePath().toUri());
        answers.map(fact -> fact.device + "," + fact.time)
                .returns(String.class)
                .sinkTo(FileSink.forRowFormat(out, new SimpleStringEncoder<String>()).build());
        environment.execute();
    }

    private FlinkCepRun() {}
}
