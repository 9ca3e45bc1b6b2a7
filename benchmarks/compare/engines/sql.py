"""The questions in standard SQL, for engines that see all events at once.

`{end}` is the last tick whose events have all come; an absence is certain when all it is about has.
"""

from __future__ import annotations

_IN_A_ROW = """
    SELECT device, time, value = 'high'
        AND LEAD(time, 1) OVER w = time + 1 AND LEAD(value, 1) OVER w = 'high'
        AND LEAD(time, 2) OVER w = time + 2 AND LEAD(value, 2) OVER w = 'high' AS malfunction
    FROM events WINDOW w AS (PARTITION BY device ORDER BY time)
"""

_MALFUNCTIONS = f"SELECT device AS a, time AS t FROM ({_IN_A_ROW}) AS readings WHERE malfunction"

_WITHIN = """
    SELECT device AS a, time AS t FROM (
        SELECT device, time, {what} OVER (
            PARTITION BY device ORDER BY time RANGE BETWEEN 59 PRECEDING AND CURRENT ROW) AS found
        FROM events) AS payments
    WHERE found {test}"""

SQL = {
    "W1": _MALFUNCTIONS,
    "W2": """
        SELECT device AS a, time AS t FROM (
            SELECT kind, device, time, MAX(CASE WHEN kind = 'Ack' THEN time END) OVER (
                PARTITION BY device ORDER BY time RANGE BETWEEN 1 FOLLOWING AND 5 FOLLOWING) AS acknowledged
            FROM events) AS marked
        WHERE kind = 'Alarm' AND acknowledged IS NULL AND time + 5 + {delay} <= {end}""",
    "W3": """
        SELECT heat.device AS a, feeds.other AS b, heat.time AS t
        FROM events AS heat JOIN Feeds AS feeds ON feeds.device = heat.device
        JOIN events AS pressure ON pressure.device = feeds.other AND pressure.time = heat.time + 1
        WHERE heat.kind = 'Heat' AND pressure.kind = 'Pressure'""",
    "W4": f"""
        SELECT device AS a, time AS t FROM ({_IN_A_ROW}) AS readings
        WHERE COALESCE(malfunction, false) = false AND time + 2 + {{delay}} <= {{end}}""",
    "W5": """
        WITH scores AS (
            SELECT device, place, time, value >= 60 AS popular,
                LAG(time, 2) OVER w = time - 2 AND LAG(time, 1) OVER w = time - 1
                AND LAG(value, 1) OVER w >= LAG(value, 2) OVER w + 5
                AND value >= LAG(value, 1) OVER w + 5 AS trend
            FROM events WINDOW w AS (PARTITION BY device, place ORDER BY time))
        SELECT DISTINCT shop.shop AS a, scores.device AS b, scores.time AS t
        FROM scores JOIN Near AS near ON near.neighbour = scores.place
        JOIN Shop AS shop ON shop.region = near.region
        LEFT JOIN scores AS here ON here.device = scores.device AND here.place = near.region
            AND here.time = scores.time AND here.popular
        WHERE scores.trend AND here.device IS NULL AND scores.time + {delay} <= {end}""",
    "W6": _MALFUNCTIONS,
    "W7": _WITHIN.format(what="COUNT(*)", test=">= 25"),
    "W8": _WITHIN.format(what="AVG(value)", test="> 55") + " AND time + {delay} <= {end}",
}
"""In each, `time` is a number and so is the `value` of W5, W7 and W8."""
