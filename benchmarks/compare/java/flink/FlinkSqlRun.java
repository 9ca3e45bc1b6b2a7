import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.types.Row;

/**
 * Flink's SQL: WORKLOAD FOLDER OUT SLACK PARALLELISM. A tick is a second.
 *
 * <p>A row is late, and dropped, when its time is the watermark or before it. SLACK is how many milliseconds the
 * watermark is behind the bound of lateness: with 0, an event that is late by exactly the bound is lost. Tick 0 is a
 * day after the epoch, for interval joins were wrong about an event at the epoch itself.
 */
public final class FlinkSqlRun {
    private static final String EVENTS =
            """
            CREATE TABLE events (
                kind STRING, device STRING, place STRING, `value` STRING, `time` BIGINT, arrival BIGINT,
                ts AS TO_TIMESTAMP_LTZ((`time` + 86400) * 1000, 3), WATERMARK FOR ts AS ts - INTERVAL '%d.%03d' SECOND(3, 3)
            ) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv')
            """;

    private static final String MALFUNCTIONS =
            """
            SELECT * FROM (SELECT device, `time`, ts FROM events WHERE `value` = 'high') MATCH_RECOGNIZE (
                PARTITION BY device ORDER BY ts
                MEASURES A.`time` AS `time`, MATCH_ROWTIME() AS matched
                ONE ROW PER MATCH
                AFTER MATCH SKIP TO NEXT ROW
                PATTERN (A B C)
                DEFINE B AS B.`time` = A.`time` + 1, C AS C.`time` = A.`time` + 2)
            """;

    private static final String IN_A_ROW = "SELECT device, `time` FROM (" + MALFUNCTIONS + ")";

    private static final String UNACKNOWLEDGED =
            """
            SELECT alarm.device, alarm.`time`
            FROM (SELECT * FROM events WHERE kind = 'Alarm') AS alarm
            LEFT JOIN (SELECT * FROM events WHERE kind = 'Ack') AS ack ON ack.device = alarm.device
                AND ack.ts BETWEEN alarm.ts + INTERVAL '1' SECOND AND alarm.ts + INTERVAL '5' SECOND
            WHERE ack.device IS NULL
            """;

    private static final String FEEDS =
            """
            CREATE TABLE feeds (device STRING, other STRING)
            WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv')
            """;

    /** Joins with a relation have no time any more, so these keep all they have seen. */
    private static final String JOINED =
            """
            SELECT heat.device, feeds.other, heat.`time`
            FROM (SELECT * FROM events WHERE kind = 'Heat') AS heat
            JOIN feeds ON feeds.device = heat.device
            JOIN (SELECT * FROM events WHERE kind = 'Pressure') AS pressure
                ON pressure.device = feeds.other AND pressure.`time` = heat.`time` + 1
            """;

    private static final String NOT_IN_A_ROW =
            """
            SELECT reading.device, reading.`time` FROM events AS reading
            LEFT JOIN (%s) AS malfunction
                ON malfunction.device = reading.device AND malfunction.`time` = reading.`time`
                AND malfunction.matched = reading.ts + INTERVAL '2' SECOND
            WHERE malfunction.device IS NULL
            """
                    .formatted(MALFUNCTIONS);

    private static final String TRENDS =
            """
            SELECT * FROM (SELECT device, place, CAST(`value` AS INT) AS score, `time`, ts FROM events) MATCH_RECOGNIZE (
                PARTITION BY device, place ORDER BY ts
                MEASURES C.`time` AS `time`, MATCH_ROWTIME() AS matched
                ONE ROW PER MATCH
                AFTER MATCH SKIP TO NEXT ROW
                PATTERN (A B C)
                DEFINE B AS B.`time` = A.`time` + 1 AND B.score >= A.score + 5,
                    C AS C.`time` = A.`time` + 2 AND C.score >= B.score + 5)
            """;

    /** A join with a table would lose the time that the windows and the next join go by; one with a function keeps it. */
    private static final String REACHED =
            """
            CREATE TEMPORARY VIEW reached AS
            SELECT trend.device, near.region, trend.`time`, trend.matched
            FROM (%s) AS trend CROSS JOIN LATERAL TABLE(Nearby(trend.place)) AS near (region)
            """
                    .formatted(TRENDS);

    /** A window of one tick leaves one row of each kind, whose time is a millisecond before the window's end. */
    private static final String LEADS =
            """
            SELECT stand.shop, wanted.device, wanted.`time`
            FROM (
                SELECT device, region, `time`, window_time AS closed
                FROM TABLE(TUMBLE(TABLE reached, DESCRIPTOR(matched), INTERVAL '1' SECOND))
                GROUP BY device, region, `time`, window_start, window_end, window_time) AS wanted
            LEFT JOIN (SELECT * FROM events WHERE CAST(`value` AS INT) >= 60) AS popular
                ON popular.device = wanted.device AND popular.place = wanted.region
                AND wanted.closed = popular.ts + INTERVAL '0.999' SECOND
            CROSS JOIN LATERAL TABLE(ShopsOf(wanted.region)) AS stand (shop)
            WHERE popular.device IS NULL
            """;

    private static final String WITHIN =
            """
            SELECT device, `time` FROM (
                SELECT device, `time`, %s OVER (
                    PARTITION BY device ORDER BY ts RANGE BETWEEN INTERVAL '59' SECOND PRECEDING AND CURRENT ROW) AS found
                FROM events)
            WHERE found %s
            """;

    private static final String FAST = WITHIN.formatted("COUNT(*)", ">= 25");
    private static final String DEAR = WITHIN.formatted("AVG(CAST(`value` AS DOUBLE))", "> 55");

    private static final Map<String, String> QUESTIONS = Map.of(
            "W1", IN_A_ROW, "W2", UNACKNOWLEDGED, "W3", JOINED, "W4", NOT_IN_A_ROW, "W5", LEADS, "W6", IN_A_ROW,
            "W7", FAST, "W8", DEAR);

    /** What a name is paired with, as a table. */
    @FunctionHint(output = @DataTypeHint("ROW<name STRING>"))
    public static final class Paired extends TableFunction<Row> {
        private final HashMap<String, ArrayList<String>> pairs = new HashMap<>();

        public void eval(String name) {
            for (String other : pairs.getOrDefault(name, new ArrayList<>())) {
                collect(Row.of(other));
            }
        }

        private void add(String name, String other) {
            pairs.computeIfAbsent(name, unknown -> new ArrayList<>()).add(other);
        }
    }

    private static void prepareLeads(TableEnvironment tables, Path folder) throws IOException {
        Paired nearby = new Paired();
        Paired shops = new Paired();
        Events.related(folder, pair -> (pair.relation().equals("Near") ? nearby : shops).add(pair.another(), pair.one()));
        tables.createTemporarySystemFunction("Nearby", nearby);
        tables.createTemporarySystemFunction("ShopsOf", shops);
        tables.executeSql(REACHED);
    }

    public static void main(String[] arguments) throws Exception {
        String workload = arguments[0];
        Path folder = Path.of(arguments[1]).toAbsolutePath();
        Path out = Path.of(arguments[2]).toAbsolutePath();
        Configuration configuration = new Configuration();
        configuration.setString("parallelism.default", arguments[4]);
        configuration.setString("pipeline.object-reuse", "true");
        configuration.setString("execution.runtime-mode", "STREAMING");
        TableEnvironment tables = TableEnvironment.create(
                EnvironmentSettings.newInstance().withConfiguration(configuration).build());
        tables.getConfig().setLocalTimeZone(java.time.ZoneOffset.UTC);
        tables.executeSql(EVENTS.formatted(
                Events.delay(folder), Integer.parseInt(arguments[3]), folder.resolve("events.csv").toUri()));
        String columns = "device STRING, `time` BIGINT";
        if (workload.equals("W3")) {
            columns = "device STRING, other STRING, `time` BIGINT";
            tables.executeSql(FEEDS.formatted(folder.resolve("static/Feeds.csv").toUri()));
        }
        if (workload.equals("W5")) {
            columns = "shop STRING, device STRING, `time` BIGINT";
            prepareLeads(tables, folder);
        }
        tables.executeSql("CREATE TABLE answers (%s) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv')"
                .formatted(columns, out.toUri()));
        tables.executeSql("INSERT INTO answers " + QUESTIONS.get(workload)).await();
    }

    private FlinkSqlRun() {}
}
