package dev.sallyport.core;

import dev.sallyport.core.audit.AuditFile;
import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.LogSection;
import dev.sallyport.spi.SecretValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What section {@code log.audit} names, opened: the sinks, with those that the application supplies, and the key.
 *
 * @param writer not started
 * @param key signs checkpoints and makes fingerprints of secrets; null where there is none
 */
record AuditSetup(AuditWriter writer, @Nullable AuditKey key) {

    /** The pointer at which the file is configured. */
    static final String FILE = "/log/audit/file";

    /** What was expected there, for error messages. */
    static final String EXPECTED =
            "a separate file for each proxy, in an existing folder, both readable and writable by this user";

    private static final String KEY = "/log/audit/checkpoint/key_file";
    private static final String SERVICE = "OTEL_SERVICE_NAME";

    /**
     * Opens everything; nothing stays open when this fails.
     *
     * @param taps those of companions, who learn of the file, too
     */
    static AuditSetup open(
            ConfigResult.Loaded loaded,
            EmbedderSettings settings,
            AuditGate gate,
            AuditListener listener,
            EngineAuditTaps taps)
            throws StartException {
        LogSection.Audit config = loaded.config().log().audit();
        AuditKey key = key(loaded, config, settings.environment().getOrDefault(SERVICE, "sallyport"));
        AuditFile file = file(loaded, config, key);
        List<AuditSink> sinks = new ArrayList<>(3);
        if (file != null) {
            sinks.add(file); // The file comes first, so that a blocked standard output keeps no record from it.
        }
        AuditSink given = settings.audit().sink();
        if (given != null) {
            sinks.add(given);
        }
        if (config.onStandardOutput(settings.audit().standardOutput())) {
            sinks.add(AuditSinks.stdout());
        }
        if (config.chain()) {
            taps.chain(config.file());
        }
        if (!loaded.config().companions().isEmpty()) {
            sinks.add(taps.sinks());
        }
        return new AuditSetup(new AuditWriter(gate, AuditSinks.all(sinks), listener, file), key);
    }

    /** Adds to a secret what tells it in audit records; the key itself goes nowhere. */
    UnaryOperator<SecretValue> fingerprints() {
        AuditKey signing = key;
        return signing == null ? value -> value : value -> value.withFingerprint(signing.fingerprint(value.bytes()));
    }

    private static @Nullable AuditFile file(ConfigResult.Loaded loaded, LogSection.Audit config, @Nullable AuditKey key)
            throws StartException {
        Path path = config.file();
        if (path == null) {
            return null;
        }
        LogSection.Checkpoint checkpoint = config.checkpoint();
        AuditFile.Chain chain = config.chain() && key != null
                ? new AuditFile.Chain(key, checkpoint.every(), checkpoint.records())
                : null;
        try {
            return AuditFile.open(
                    path, new AuditFile.Settings(config.slots(), ConfigMapper.rotation(config.rotate()), chain));
        } catch (IOException e) {
            String problem = path + ": " + AuditFile.reason(e);
            throw StartException.of(List.of(new ConfigProblem(loaded.places().of(FILE), FILE, problem, EXPECTED)));
        }
    }

    private static @Nullable AuditKey key(ConfigResult.Loaded loaded, LogSection.Audit config, String service)
            throws StartException {
        Path file = config.file();
        if (file == null) {
            return null;
        }
        try {
            return config.chain()
                    ? AuditKey.open(
                            AuditKey.place(real(file), config.checkpoint().keyFile()), service)
                    : presentKey(config);
        } catch (IOException e) {
            throw StartException.of(List.of(keyProblem(loaded.places(), config, e)));
        }
    }

    /** The key that is there; null for none. Creates nothing. */
    static @Nullable AuditKey presentKey(LogSection.Audit config) throws IOException {
        Path file = config.file();
        if (file == null) {
            return null;
        }
        Path key = AuditKey.place(real(file), config.checkpoint().keyFile());
        return Files.exists(key) ? AuditKey.load(key) : null;
    }

    /** What is beside a file is beside what a link leads to. */
    private static Path real(Path file) throws IOException {
        return Files.exists(file) ? file.toRealPath() : file;
    }

    static ConfigProblem keyProblem(Locations places, LogSection.Audit config, IOException failure) {
        String pointer = config.checkpoint().keyFile() == null ? FILE : KEY;
        Path file = config.file();
        Path key =
                file == null ? null : AuditKey.place(file, config.checkpoint().keyFile());
        return new ConfigProblem(
                places.of(pointer),
                pointer,
                key + ": " + AuditFile.reason(failure),
                "an audit key that this user can read, or a folder to make one in");
    }
}
