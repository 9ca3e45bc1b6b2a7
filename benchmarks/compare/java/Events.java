import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
