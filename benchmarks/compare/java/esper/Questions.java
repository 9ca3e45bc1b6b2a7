import java.util.Map;

/** What Esper is asked, in its own language. The values of an answer are in their order. */
final class Questions {
    private static final String ARRIVED =
            """
            @public @buseventtype create schema Arrived(
                kind string, device string, place string, value string, time long);
            @public @buseventtype create schema Related(relation string, one string, another string);
            """;

    private static final String SORTED =
            """
            insert rstream into Sorted select rstream kind, device, place, value, time
                from Arrived#time_order(time * 1000L, {kept} milliseconds);
            """;

    private static final String IN_A_ROW =
            """
            select * from Sorted match_recognize (
                partition by device
                measures A.device as device, A.time as time
                all matches
                after match skip to next row
                pattern (A B C)
                define A as A.value = 'high',
                       B as B.value = 'high' and B.time = A.time + 1,
                       C as C.value = 'high' and C.time = A.time + 2);
            """;

    private static final String MALFUNCTIONS = SORTED + "@name('answers') " + IN_A_ROW;

    /** The clock is as far behind the sorted events for an alarm as for its acknowledgement. */
    private static final String UNACKNOWLEDGED = SORTED
            + """
            @name('answers') select a.device as device, a.time as time from pattern [
                every a=Sorted(kind = 'Alarm')
                -> (timer:interval(5500 milliseconds) and not Sorted(kind = 'Ack', device = a.device, time > a.time))];
            """;

    /** A join needs no order; it keeps an event until all it may be joined with have come. */
    private static final String JOINED =
            """
            create table Feeds(device string primary key, other string primary key);
            create index FeedsOfDevice on Feeds(device);
            insert into Feeds select one as device, another as other from Related(relation = 'Feeds');
            insert into Heat select device, time as tick from Arrived(kind = 'Heat');
            insert into Pressure select device, time - 1 as tick from Arrived(kind = 'Pressure');
            @name('answers') select heat.device as device, feeds.other as other, heat.tick as time
                from Heat#time({joined} milliseconds) as heat, Feeds as feeds,
                    Pressure#time({joined} milliseconds) as pressure
                where feeds.device = heat.device and pressure.device = feeds.other and pressure.tick = heat.tick;
            """;

    /** What a pattern finds is a stream, and another pattern waits for nothing to come from it. */
    private static final String NOT_IN_A_ROW = SORTED
            + "insert into Malfunction "
            + IN_A_ROW
            + """
            @name('answers') select r.device as device, r.time as time from pattern [
                every r=Sorted
                -> (timer:interval(2500 milliseconds) and not Malfunction(device = r.device, time = r.time))];
            """;

    /** The sorted events of a tick come half a second before a whole one: all of them are known by then. */
    private static final String LEADS = SORTED
            + """
            create table Near(region string primary key, neighbour string primary key);
            create index RegionsNear on Near(neighbour);
            insert into Near select one as region, another as neighbour from Related(relation = 'Near');
            create table Shop(shop string primary key, region string);
            create index ShopsOfRegion on Shop(region);
            insert into Shop select one as shop, another as region from Related(relation = 'Shop');
            insert into Score select device, place, cast(value, int) as value, time from Sorted;
            insert into Trend select * from Score match_recognize (
                partition by device, place
                measures C.device as device, C.place as place, C.time as time
                all matches
                after match skip to next row
                pattern (A B C)
                define B as B.time = A.time + 1 and B.value >= A.value + 5,
                       C as C.time = A.time + 2 and C.value >= B.value + 5);
            insert into Wanted select trend.device as device, near.region as region, trend.time as time
                from Trend as trend unidirectional, Near as near where near.neighbour = trend.place;
            insert into Due select distinct device, region, time from Wanted#time_batch(1 second, 0L);
            @name('answers') select shop.shop as shop, due.device as device, due.time as time
                from Due as due unidirectional, Shop as shop
                where shop.region = due.region and not exists (
                    select * from Score(value >= 60)#time(1 second) as popular
                    where popular.device = due.device and popular.place = due.region and popular.time = due.time);
            """;

    /** The events are sorted, so that a window of a device ends with the event that comes. */
    private static final String WITHIN = SORTED
            + """
            @name('answers') select device, time from Sorted#groupwin(device)#ext_timed(time * 1000L, 59500 milliseconds)
                group by device having {test};
            """;

    private static final String FAST = WITHIN.replace("{test}", "count(*) >= 25");
    private static final String DEAR = WITHIN.replace("{test}", "avg(cast(value, int)) > 55");

    private static final Map<String, String> QUESTIONS = Map.of(
            "W1", MALFUNCTIONS, "W2", UNACKNOWLEDGED, "W3", JOINED, "W4", NOT_IN_A_ROW, "W5", LEADS,
            "W6", MALFUNCTIONS, "W7", FAST, "W8", DEAR);

    /** Events may be so many ticks late: an event leaves the window when all that are before it must be there. */
    static String asked(String workload, long delay) {
        return (ARRIVED + QUESTIONS.get(workload))
                .replace("{kept}", String.valueOf(delay * 1000 + 500))
                .replace("{joined}", String.valueOf((delay + 1) * 1000 + 500));
    }

    private Questions() {}
}
