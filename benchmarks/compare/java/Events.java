import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of a folder of events, and the one of the answers. */
final class Events {
    /** An event; times are in ticks. */
    record Event(String kind, String device, String place, String value, long time, long arrival) {
        static Event parse(String line) {
            String[] cells = line.split(",", -1);
            return new Event(cells[0], cells[1], cells[2], cells[3], Long.parseLong(cells[4]), Long.parseLong(cells[5]));
        }
    }

    /** All events in the order of arrival. */
    static void each(Path folder, Consumer<Event> consumer) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(folder.resolve("events.csv"))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                consumer.accept(Event.parse(line));
            }
        }
    }

    /** A pair of the relation of this name. */
    record Pair(String relation, String one, String another) {}

    /** All pairs of the relations that do not change. */
    static void related(Path folder, Consumer<Pair> consumer) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder.resolve("static"))) {
            files = listed.filter(file -> file.toString().endsWith(".csv")).toList();
        }
        for (Path file : files) {
            String relation = file.getFileName().toString().replace(".csv", "");
            for (String line : Files.readAllLines(file)) {
                String[] cells = line.split(",", -1);
                consumer.accept(new Pair(relation, cells[0], cells[1]));
            }
        }
    }

    /** How many ticks late events may be. */
    static long delay(Path folder) throws IOException {
        Matcher matcher = Pattern.compile("\"delay\": (\\d+)").matcher(Files.readString(folder.resolve("settings.json")));
        if (!matcher.find()) {
            throw new IOException("settings.json does not say how late events may be");
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Writes a line for each answer. */
    static final class Answers implements AutoCloseable {
        private final BufferedWriter writer;

        Answers(Path out) throws IOException {
            Files.createDirectories(out);
            writer = Files.newBufferedWriter(out.resolve("answers.csv"));
        }

        synchronized void add(Object... values) {
            try {
                for (int i = 0; i < values.length; i++) {
                    writer.write(i == 0 ? "" : ",");
                    writer.write(values[i].toString());
                }
                writer.newLine();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }

    private Events() {}
}
