package dev.sallyport.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The tables of the documents of the specification. */
final class SpecificationTables {

    private static final Path SPEC = Path.of("..", "docs", "spec");

    private SpecificationTables() {}

    /** {@code heading: first cell} of all rows of a document, or two or three cells where one does not say which. */
    static List<String> rows(String document, List<String> headings) throws IOException {
        List<String> rows = new ArrayList<>();
        String heading = "";
        int cells = 1;
        for (String line : Files.readAllLines(SPEC.resolve(document + ".md"))) {
            if (line.startsWith("#")) {
                heading = line.replaceFirst("#+ ", "");
            } else if (line.startsWith("| Method ") || line.startsWith("| HTTP") || line.startsWith("| Status ")) {
                cells = 2;
            } else if (line.startsWith("| State ")) {
                cells = 3;
            } else if (line.startsWith("| ") && line.matches("\\| (Field|Code|Limit|Resource|`status`) .*")) {
                cells = 1;
            } else if (line.startsWith("| ") && headings.contains(heading)) {
                String[] parts = line.substring(2).split(" \\| ", -1);
                rows.add(heading + ": "
                        + String.join(" | ", List.of(parts).subList(0, cells)).replace("`", ""));
            }
        }
        return rows.stream().distinct().toList();
    }
}
