package dev.sallyport.ctl.context;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of contexts, one for each server: {@code ctl.json} in {@code $XDG_CONFIG_HOME/sallyport}, by default {@code
 * ~/.config/sallyport}. Only its owner can read it. It is replaced as a whole, so that it is never half written.
 */
public final class Contexts {

    private static final String CURRENT = "current";
    private static final String CONTEXTS = "contexts";
    private static final String KEY = "key";
    private static final String DEVICE = "device";
    private static final String CA_CERT = "ca_cert";
    private static final String INSECURE_HTTP = "insecure_http";

    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path file;

    private Contexts(Path file) {
        this.file = file;
    }

    /** Those of the user whose environment this is. */
    public static Contexts of(Map<String, String> environment) {
        String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        // The XDG specification: a relative path is to be ignored.
        Path base = configured.startsWith("/")
                ? Path.of(configured)
                : Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config");
        return new Contexts(base.resolve("sallyport").resolve("ctl.json"));
    }

    /** Where they are kept. */
    public Path file() {
        return file;
    }

    /** Whether others than the owner can read the file. Blocks. */
    public boolean isOpen() throws Problem {
        try {
            return !OWNER.containsAll(Files.getPosixFilePermissions(file));
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw unreadable();
        }
    }

    /** The server that was signed in at last, or null. Blocks. */
    public @Nullable URI current() throws Problem {
        JsonNode current = read().path(CURRENT);
        return current.isTextual() ? ServerUrl.parse(current.asText(), file + ": current") : null;
    }

    /** The context of a server, or null. Blocks. */
    public @Nullable Context find(URI server) throws Problem {
        JsonNode saved = read().path(CONTEXTS).path(server.toString());
        if (!saved.path(KEY).isTextual()) {
            return null;
        }
        String caCert = saved.path(CA_CERT).asText("");
        return new Context(
                server,
                saved.path(KEY).asText(),
                saved.path(DEVICE).asBoolean(),
                caCert.isEmpty() ? null : Path.of(caCert),
                saved.path(INSECURE_HTTP).asBoolean());
    }

    /** Keeps a context, and makes it the current one. Blocks. */
    public void save(Context context) throws Problem {
        ObjectNode all = read();
        ObjectNode saved = all.withObjectProperty(CONTEXTS)
                .putObject(context.server().toString())
                .put(KEY, context.key())
                .put(DEVICE, context.device());
        if (context.caCert() != null) {
            saved.put(CA_CERT, context.caCert().toAbsolutePath().toString());
        }
        if (context.insecureHttp()) {
            saved.put(INSECURE_HTTP, true);
        }
        all.put(CURRENT, context.server().toString());
        write(all);
    }

    /** Forgets the context of a server. Blocks. */
    public void remove(URI server) throws Problem {
        ObjectNode all = read();
        all.withObjectProperty(CONTEXTS).remove(server.toString());
        if (all.path(CURRENT).asText().equals(server.toString())) {
            all.remove(CURRENT);
        }
        write(all);
    }

    private ObjectNode read() throws Problem {
        try {
            if (Json.parse(Files.readAllBytes(file)) instanceof ObjectNode all && isSound(all)) {
                return all;
            }
        } catch (NoSuchFileException e) {
            return Json.object();
        } catch (JacksonException e) {
            throw unreadable(); // without its text, which may quote a key
        } catch (IOException e) {
            throw unreadable();
        }
        throw unreadable();
    }

    private static boolean isSound(ObjectNode all) {
        JsonNode contexts = all.path(CONTEXTS);
        return contexts.isMissingNode() || contexts.isObject();
    }

    private Problem unreadable() {
        return Problem.usage(file + ": cannot be read (expected: the file that sallyport ctl login writes; remove it "
                + "and sign in again)");
    }

    private void write(ObjectNode all) throws Problem {
        try {
            Files.createDirectories(file.getParent(), FOLDER);
            Path next =
                    Files.createTempFile(file.getParent(), "ctl", ".json", PosixFilePermissions.asFileAttribute(OWNER));
            try {
                Files.write(next, Json.bytes(all));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(next);
            }
        } catch (IOException e) {
            throw Problem.usage(file + ": cannot be written (expected: a folder of one's own)");
        }
    }
}
