package dev.sallyport.testkit;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Headers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Header lines of a message, in order and in the casing of the wire. Immutable. */
public final class HeaderLines {

    /** No lines. */
    public static final HeaderLines NONE = new HeaderLines(List.of());

    /** One line. */
    public record Line(String name, String value) {
        @Override
        public String toString() {
            return name + ": " + value;
        }
    }

    private final List<Line> lines;

    private HeaderLines(List<Line> lines) {
        this.lines = lines;
    }

    /** A copy of header lines. */
    static HeaderLines of(Headers headers) {
        List<Line> lines = new ArrayList<>(headers.size());
        for (int i = 0; i < headers.size(); i++) {
            lines.add(new Line(headers.name(i), headers.value(i)));
        }
        return new HeaderLines(List.copyOf(lines));
    }

    /** The same with one more line. */
    public HeaderLines with(String name, String value) {
        List<Line> more = new ArrayList<>(lines);
        more.add(new Line(name, value));
        return new HeaderLines(List.copyOf(more));
    }

    /** All lines in order. */
    public List<Line> lines() {
        return lines;
    }

    /** The names in order, as on the wire. */
    public List<String> names() {
        return lines.stream().map(Line::name).toList();
    }

    /** The value of the first line of this name, whatever its casing; or null. */
    public @Nullable String first(String name) {
        List<String> all = all(name);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** The values of all lines of this name, whatever its casing. */
    public List<String> all(String name) {
        return lines.stream()
                .filter(line -> line.name().equalsIgnoreCase(name))
                .map(Line::value)
                .toList();
    }

    HeaderBlock block() {
        HeaderBlock block = new HeaderBlock(Math.max(1, lines.size()));
        lines.forEach(line -> block.append(line.name(), line.value()));
        return block;
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
