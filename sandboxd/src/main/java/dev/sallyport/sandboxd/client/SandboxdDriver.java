package dev.sallyport.sandboxd.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.GuestVariables;
import dev.sallyport.sandbox.HostKey;
import dev.sallyport.sandbox.Image;
import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandbox.Observed;
import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.TaskReport;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Operation;
import dev.sallyport.sandboxd.wire.TaskJson;
import dev.sallyport.sandboxd.wire.VmJson;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets sandboxd do the work. A connection for each call; an interruption closes it, while what was asked for goes on in
 * sandboxd, and can be asked for again. Safe for use by many threads.
 */
public final class SandboxdDriver implements VmDriver {

    private final Path socket;
    private final @Nullable String wanted;
    private final Patience patience;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-sandboxd-clock").factory());

    /**
     * How long an answer may take.
     *
     * @param look where nothing changes
     * @param change where a VM is made, started, changed, captured or removed, and for a stop beyond its grace
     * @param seal where a snapshot is sealed
     */
    record Patience(Duration look, Duration change, Duration seal) {}

    /** @param socket the path of sandboxd's socket; it need not be there yet */
    public SandboxdDriver(Path socket) {
        this(socket, null);
    }

    /**
     * With a sandboxd whose driver is to be a certain one: another one makes no VM.
     *
     * @param socket the path of sandboxd's socket; it need not be there yet
     * @param wanted the driver's name; null for any
     */
    public SandboxdDriver(Path socket, @Nullable String wanted) {
        this(socket, wanted, new Patience(Duration.ofSeconds(20), Duration.ofMinutes(2), Duration.ofMinutes(35)));
    }

    SandboxdDriver(Path socket, @Nullable String wanted, Patience patience) {
        this.socket = socket;
        this.wanted = wanted;
        this.patience = patience;
    }

    @Override
    public Availability availability() throws VmException, InterruptedException {
        Availability found = look(request(Operation.AVAILABILITY), VmJson::availability);
        return wanted == null
                        || !(found instanceof Availability.Available available)
                        || available.details().contains("driver: " + wanted)
                ? found
                : new Availability.Unavailable(List.of("sandboxd at " + socket + " does not run driver " + wanted
                        + " (expected: sandboxd --driver " + wanted + ")"));
    }

    @Override
    public List<Image> images() throws VmException, InterruptedException {
        return look(request(Operation.IMAGES), VmJson::images);
    }

    @Override
    public void create(VmId id, VmSpec spec) throws VmException, InterruptedException {
        if (wanted != null && availability() instanceof Availability.Unavailable unavailable) {
            throw new VmException(Reason.UNAVAILABLE, String.join("; ", unavailable.problems()));
        }
        ObjectNode request = request(Operation.CREATE, id);
        request.set("spec", VmJson.spec(spec));
        change(request, Duration.ZERO);
    }

    @Override
    public void start(VmId id) throws VmException, InterruptedException {
        change(request(Operation.START, id), Duration.ZERO);
    }

    @Override
    public void stop(VmId id, Duration grace) throws VmException, InterruptedException {
        change(request(Operation.STOP, id).put("grace_millis", grace.toMillis()), grace);
    }

    @Override
    public void destroy(VmId id) throws VmException, InterruptedException {
        change(request(Operation.DESTROY, id), Duration.ZERO);
    }

    @Override
    public Observed observe(VmId id) throws VmException, InterruptedException {
        return look(request(Operation.OBSERVE, id), VmJson::observed);
    }

    @Override
    public Map<VmId, Observed> observeAll() throws VmException, InterruptedException {
        return look(request(Operation.OBSERVE_ALL), VmJson::observedAll);
    }

    @Override
    public List<HostKey> hostKeys(VmId id) throws VmException, InterruptedException {
        return look(request(Operation.HOST_KEYS, id), VmJson::hostKeys);
    }

    @Override
    public Refused refused(VmId id) throws VmException, InterruptedException {
        return look(request(Operation.REFUSED, id), VmJson::refused);
    }

    @Override
    public void capture(SnapshotId id, VmId vm) throws VmException, InterruptedException {
        change(request(Operation.CAPTURE, vm).put("snapshot", id.value()), Duration.ZERO);
    }

    @Override
    public Layer seal(SnapshotId id) throws VmException, InterruptedException {
        return call(request(Operation.SEAL, id), patience.seal(), VmJson::layer);
    }

    @Override
    public void discard(SnapshotId id) throws VmException, InterruptedException {
        change(request(Operation.DISCARD, id), Duration.ZERO);
    }

    @Override
    public Set<SnapshotId> snapshots() throws VmException, InterruptedException {
        return look(request(Operation.SNAPSHOTS), VmJson::snapshots);
    }

    @Override
    public void run(VmId id, TaskName name, GuestTask task) throws VmException, InterruptedException {
        ObjectNode request = request(Operation.RUN, id).put("task", name.value());
        request.set("program", TaskJson.task(task));
        change(request, Duration.ZERO);
    }

    @Override
    public TaskReport report(VmId id, TaskName name, long offset) throws VmException, InterruptedException {
        return look(request(Operation.REPORT, id).put("task", name.value()).put("offset", offset), TaskJson::report);
    }

    @Override
    public void refresh(VmId id, GuestVariables variables) throws VmException, InterruptedException {
        ObjectNode request = request(Operation.REFRESH, id);
        request.set("variables", VmJson.variables(variables));
        change(request, Duration.ZERO);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    private static ObjectNode request(Operation operation) {
        return Lines.message().put("operation", operation.wireName());
    }

    private static ObjectNode request(Operation operation, VmId id) {
        return request(operation).put("id", id.value());
    }

    private static ObjectNode request(Operation operation, SnapshotId id) {
        return request(operation).put("snapshot", id.value());
    }

    private interface Reader<T> {
        T read(JsonNode result) throws WireException;
    }

    private <T> T look(ObjectNode request, Reader<T> reader) throws VmException, InterruptedException {
        return call(request, patience.look(), reader);
    }

    private void change(ObjectNode request, Duration grace) throws VmException, InterruptedException {
        call(request, patience.change().plus(grace), result -> result);
    }

    private <T> T call(ObjectNode request, Duration most, Reader<T> reader) throws VmException, InterruptedException {
        AtomicBoolean late = new AtomicBoolean();
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            JsonNode answer;
            Future<?> end = clock.schedule(() -> end(channel, late), most.toMillis(), TimeUnit.MILLISECONDS);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                answer = exchange(channel, request);
            } finally {
                end.cancel(false);
            }
            if (answer.path("version").asInt() != Lines.VERSION) {
                throw new WireException("unknown version of the protocol (expected: " + Lines.VERSION + ")");
            }
            if (answer.has("error")) {
                throw refusal(answer.path("error"));
            }
            return reader.read(answer.path("result"));
        } catch (WireException e) {
            throw new VmException(Reason.UNAVAILABLE, "sandboxd at " + socket + ": " + e.getMessage(), e);
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (late.get()) {
                throw new VmException(
                        Reason.UNAVAILABLE,
                        "sandboxd at " + socket + " has not answered within " + most.toSeconds() + " s",
                        e);
            }
            throw new VmException(Reason.UNAVAILABLE, "sandboxd at " + socket + ": " + e.getMessage(), e);
        }
    }

    /** A channel in blocking mode knows no deadline; its end wakes whoever is blocked in it. */
    private static void end(SocketChannel channel, AtomicBoolean late) {
        late.set(true);
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whoever is refused gets his answer before he has asked, and a broken pipe. */
    private static JsonNode exchange(SocketChannel channel, ObjectNode request) throws IOException, WireException {
        try {
            Lines.write(channel, request);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            try {
                return Lines.read(channel, Lines.LONGEST_ANSWER);
            } catch (IOException | WireException none) {
                e.addSuppressed(none);
                throw e;
            }
        }
        return Lines.read(channel, Lines.LONGEST_ANSWER);
    }

    private static VmException refusal(JsonNode error) throws WireException {
        try {
            Reason reason = Reason.valueOf(error.path("reason").asText().toUpperCase(Locale.ROOT));
            return new VmException(reason, error.path("message").asText());
        } catch (IllegalArgumentException e) {
            throw new WireException("unknown reason of an error", e);
        }
    }
}
