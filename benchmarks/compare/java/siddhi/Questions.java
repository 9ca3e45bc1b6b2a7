import java.util.Map;

/** What Siddhi is asked, in its own language. The values of an answer are in their order. */
final class Questions {
    private static final String ARRIVED =
            """
            @app:playback
            define stream Arrived (
                kind string, device string, place string, value string, time long, ts long, key string);
            define stream Related (relation string, one string, another string);
            """;

    /** Its arguments: an event's time, when to hand on what waits in any case, and the longest slack. */
    private static final String SORTED =
            """
            from Arrived#reorder:kslack(ts, {never}L, {most}L) select kind, device, value, time insert into Sorted;
            """;

    private static final String IN_A_ROW =
            """
                from every a=Sorted[value == 'high'], b=Sorted[value == 'high' and time == a.time + 1],
                    c=Sorted[value == 'high' and time == a.time + 2]
                select a.device as device, a.time as time insert into %s;
            """;

    private static final String MALFUNCTIONS =
            SORTED + "partition with (device of Sorted) begin " + IN_A_ROW.formatted("Answers") + "end;";

    /** It waits until what would end it has been sorted too; the times in its condition say what that is. */
    private static final String UNACKNOWLEDGED = SORTED
            + """
            partition with (device of Sorted) begin
                from every a=Sorted[kind == 'Alarm']
                    -> not Sorted[kind == 'Ack' and time > a.time and time <= a.time + 5] for {wait5} sec
                select a.device as device, a.time as time insert into Answers;
            end;
            """;

    /** A join needs no order; it keeps an event until all it may be joined with have come. */
    private static final String JOINED =
            """
            @index('device') define table Feeds (device string, other string);
            from Related[relation == 'Feeds'] select one as device, another as other insert into Feeds;
            from Arrived[kind == 'Heat'] as heat join Feeds as feeds on feeds.device == heat.device
                select heat.device as device, feeds.other as other, heat.time as time insert into Fed;
            from Arrived[kind == 'Pressure'] select device, time - 1 as time insert into Pressed;
            partition with (other of Fed, device of Pressed) begin
                from Fed#window.time({joined} sec) as fed join Pressed#window.time({joined} sec) as pressed
                    on pressed.time == fed.time
                select fed.device as device, fed.other as other, fed.time as time insert into Answers;
            end;
            """;

    private static final String NOT_IN_A_ROW = SORTED
            + "partition with (device of Sorted) begin "
            + IN_A_ROW.formatted("#Malfunction")
            + """
                from every r=Sorted -> not #Malfunction[time == r.time] for {wait2} sec
                select r.device as device, r.time as time insert into Answers;
            end;
            """;

    private static final String LEADS =
            """
            @index('neighbour') define table Near (region string, neighbour string);
            @index('region') define table Shop (shop string, region string);
            @primaryKey('device', 'place', 'time') define table Popular (device string, place string, time long);
            from Related[relation == 'Near'] select one as region, another as neighbour insert into Near;
            from Related[relation == 'Shop'] select one as shop, another as region insert into Shop;
            from Arrived#reorder:kslack(ts, {never}L, {most}L)
                select device, place, convert(value, 'int') as value, time, key insert into Score;
            from Score[value >= 60] select device, place, time insert into Popular;
            partition with (key of Score) begin
                from every a=Score, b=Score[time == a.time + 1 and value >= a.value + 5],
                    c=Score[time == a.time + 2 and value >= b.value + 5]
                select c.device as device, c.place as place, c.time as time insert into Trend;
            end;
            from Trend as trend join Near as near on near.neighbour == trend.place
                select trend.device as device, near.region as region, trend.time as time insert into Wanted;
            from Wanted#window.timeBatch(1 sec)
                select device, region, time group by device, region, time insert into Due;
            from Due[not ((Popular.device == device and Popular.place == region and Popular.time == time) in Popular)]
                select device, region, time insert into Fresh;
            from Fresh as fresh join Shop as shop on shop.region == fresh.region
                select shop.shop as shop, fresh.device as device, fresh.time as time insert into Answers;
            """;

    private static final Map<String, String> QUESTIONS = Map.of(
            "W1", MALFUNCTIONS, "W2", UNACKNOWLEDGED, "W3", JOINED, "W4", NOT_IN_A_ROW, "W5", LEADS,
            "W6", MALFUNCTIONS);

    /**
     * Events may be so many ticks late. Slack is never more than a tick longer, or the leap to the end of the stream
     * would be taken for lateness, and is not cut short by a timer.
     */
    static String asked(String workload, long delay) {
        // An alarm counts from its arrival; an acknowledgement waits for its slack, and for an event that ends it.
        long slack = 2 * (delay + 1);
        return (ARRIVED + QUESTIONS.get(workload))
                .replace("{wait5}", String.valueOf(5 + slack))
                .replace("{wait2}", String.valueOf(2 + slack))
                .replace("{never}", String.valueOf(Long.MAX_VALUE / 2))
                .replace("{most}", String.valueOf((delay + 1) * 1000))
                .replace("{joined}", String.valueOf(delay + 2));
    }

    private Questions() {}
}
