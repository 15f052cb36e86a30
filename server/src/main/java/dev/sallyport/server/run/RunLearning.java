package dev.sallyport.server.run;

import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.server.Failure;
import dev.sallyport.server.learn.Learning;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where records go, and the policy that is made of them.
 *
 * @param log the records of this run alone; null when nothing is learned
 * @param out the policy; null when nothing is learned
 */
record RunLearning(
        @Nullable Path audit, @Nullable Path log, @Nullable Path out) {

    /** @param folder that the program does not see, where it can be kept from it */
    static RunLearning of(RunOptions options, Path folder) {
        Path out = options.output().learn();
        return new RunLearning(options.output().audit(), out == null ? null : folder.resolve("records.jsonl"), out);
    }

    /** The sink of the proxy, which closes it. */
    AuditSink sink() throws IOException {
        List<AuditSink> sinks = new ArrayList<>();
        if (audit != null) {
            sinks.add(AuditSinks.file(audit));
        }
        if (log != null) {
            sinks.add(AuditSinks.file(log));
        }
        return AuditSinks.all(sinks);
    }

    /**
     * Writes the policy that would have let through what was tried.
     *
     * @param note receives what was left out
     */
    void write(PluginCatalog catalog, Map<String, String> environment, Consumer<String> note) throws Failure {
        Path to = out;
        if (to == null || log == null) {
            return;
        }
        try {
            if (Files.size(log) == 0) {
                note.accept(to + " is not written: there was no request to learn from");
                return;
            }
            Learning learning = new Learning(List.of(log.toString()), true, false, catalog, environment);
            Learning.Result result = learning.policy(InputStream.nullInputStream());
            List<String> lines = new ArrayList<>();
            result.notes()
                    .forEach(line -> lines.add("# " + line.replace('\n', ' ').replace(log.toString(), "this run")));
            lines.addAll(result.policy());
            Files.write(to, lines, StandardCharsets.UTF_8);
            note.accept("learned: " + to + " (sallyport run --replay " + to + " -- ...)");
        } catch (IOException e) {
            throw new Failure(to + ": cannot be written: " + e.getMessage());
        }
    }
}
