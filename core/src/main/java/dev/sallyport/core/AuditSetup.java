package dev.sallyport.core;

import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.LogSection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Opens the sinks that section {@code log.audit} names, and those that the application supplies. */
final class AuditSetup {

    /** Where the file is configured. */
    static final String FILE = "/log/audit/file";

    /** What is expected there. */
    static final String EXPECTED =
            "a file of its own for each proxy, in a folder that is there, both readable and writable for this user";

    private AuditSetup() {}

    /** Creates a writer without starting it; nothing stays open when this fails. */
    static AuditWriter open(
            ConfigResult.Loaded loaded, EgressProxy.Builder settings, AuditGate gate, AuditListener listener)
            throws StartException {
        LogSection.Audit config = loaded.config().log().audit();
        AuditFile file = file(loaded, config);
        List<AuditSink> sinks = new ArrayList<>(3);
        if (file != null) {
            sinks.add(file); // first: a blocked standard output keeps no record from the file
        }
        AuditSink given = settings.auditSink();
        if (given != null) {
            sinks.add(given);
        }
        if (config.onStandardOutput(settings.isAuditOnStandardOutput())) {
            sinks.add(AuditSinks.stdout());
        }
        return new AuditWriter(gate, AuditSinks.all(sinks), listener, file);
    }

    private static @Nullable AuditFile file(ConfigResult.Loaded loaded, LogSection.Audit config) throws StartException {
        Path path = config.file();
        if (path == null) {
            return null;
        }
        try {
            return AuditFile.open(path, config.slots());
        } catch (IOException e) {
            String problem = path + ": " + AuditFile.reason(e);
            throw StartException.of(List.of(new ConfigProblem(loaded.places().of(FILE), FILE, problem, EXPECTED)));
        }
    }
}
