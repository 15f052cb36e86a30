package dev.sallyport.compare.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Puts a report into the documentation, between two marks. */
public final class Publication {

    private static final String BEGIN = "<!-- measured: begin -->";
    private static final String END = "<!-- measured: end -->";
    private static final String PLOTS = "performance";

    private final Path docs;

    public Publication(Path docs) {
        this.docs = docs;
    }

    /**
     * Replaces what stands between the marks of {@code performance.md}, and the plots and results beside it.
     *
     * @throws IOException if the marks are not there
     */
    public Path publish(Report report, Results results) throws IOException {
        Path page = docs.resolve("performance.md");
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException(page + ": no marks (expected: " + BEGIN + " and " + END + ", each on a line)");
        }
        Path folder = Files.createDirectories(docs.resolve(PLOTS));
        for (Map.Entry<String, String> plot : report.plots().entrySet()) {
            Files.writeString(folder.resolve(plot.getKey()), plot.getValue());
        }
        Path samples = results.folder().resolve("results.json");
        if (Files.exists(samples)) {
            Files.writeString(folder.resolve("results.json"), Files.readString(samples));
        }
        String measured = report.markdown(PLOTS + "/").replace("\n## ", "\n### ");
        Files.writeString(
                page, text.substring(0, begin) + BEGIN + "\n\n" + measured.strip() + "\n\n" + text.substring(end));
        return page;
    }
}
