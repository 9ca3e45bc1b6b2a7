import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.types.Row;

/** The devices that a device feeds: a static relation as a function, so that rows keep their time. */
@FunctionHint(output = @DataTypeHint("ROW<other STRING>"))
public final class Fed extends TableFunction<Row> {
    private final HashMap<String, List<String>> pairs;

    public Fed(Map<String, List<String>> pairs) {
        this.pairs = new HashMap<>(pairs);
    }

    public void eval(String device) {
        for (String other : pairs.getOrDefault(device, List.of())) {
            collect(Row.of(other));
        }
    }
}
