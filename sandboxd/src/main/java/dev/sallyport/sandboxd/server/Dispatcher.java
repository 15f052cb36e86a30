package dev.sallyport.sandboxd.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.Operation;
import dev.sallyport.sandboxd.wire.TaskJson;
import dev.sallyport.sandboxd.wire.VmJson;
import dev.sallyport.sandboxd.wire.WireException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a request by a call of the driver. For any number of threads. */
final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);
    private static final Duration LONGEST_GRACE = Duration.ofMinutes(5);

    private final VmDriver driver;

    Dispatcher(VmDriver driver) {
        this.driver = driver;
    }

    /** The answer to a request, an error included. */
    ObjectNode answer(JsonNode request) throws InterruptedException {
        try {
            Operation operation = operation(request);
            Set<String> names = new HashSet<>(operation.arguments());
            names.add("version");
            names.add("operation");
            ObjectNode answer = Lines.message();
            answer.set("result", call(operation, Members.of(request, names)));
            return answer;
        } catch (WireException e) {
            return error(Reason.INVALID, e.getMessage());
        } catch (VmException e) {
            LOG.info("refused: {}", e.getMessage());
            return error(e.reason(), e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("a request failed", e);
            return error(Reason.FAILED, "sandboxd failed: its log has the reason");
        }
    }

    /** An answer that is an error. */
    static ObjectNode error(Reason reason, String message) {
        ObjectNode answer = Lines.message();
        answer.putObject("error")
                .put("reason", reason.name().toLowerCase(Locale.ROOT))
                .put("message", message);
        return answer;
    }

    private static Operation operation(JsonNode request) throws WireException {
        if (request.path("version").asInt() != Lines.VERSION) {
            throw new WireException("unknown version of the protocol (expected: " + Lines.VERSION + ")");
        }
        Operation operation = Operation.named(request.path("operation").asText());
        if (operation == null) {
            throw new WireException("unknown operation (expected: one of " + Operation.names() + ")");
        }
        return operation;
    }

    private JsonNode call(Operation operation, Members request)
            throws WireException, VmException, InterruptedException {
        return switch (operation) {
            case AVAILABILITY -> VmJson.availability(driver.availability());
            case IMAGES -> VmJson.images(driver.images());
            case CREATE -> {
                driver.create(id(request), VmJson.spec(request.node("spec")));
                yield Lines.object();
            }
            case START -> {
                driver.start(id(request));
                yield Lines.object();
            }
            case STOP -> {
                driver.stop(id(request), grace(request));
                yield Lines.object();
            }
            case DESTROY -> {
                driver.destroy(id(request));
                yield Lines.object();
            }
            case OBSERVE -> VmJson.observed(driver.observe(id(request)));
            case OBSERVE_ALL -> VmJson.observedAll(driver.observeAll());
            case HOST_KEYS -> VmJson.hostKeys(driver.hostKeys(id(request)));
            case REFUSED -> VmJson.refused(driver.refused(id(request)));
            case CAPTURE -> {
                driver.capture(snapshot(request), id(request));
                yield Lines.object();
            }
            case SEAL -> VmJson.layer(driver.seal(snapshot(request)));
            case DISCARD -> {
                driver.discard(snapshot(request));
                yield Lines.object();
            }
            case SNAPSHOTS -> VmJson.snapshots(driver.snapshots());
            case RUN -> {
                driver.run(id(request), TaskJson.name(request), TaskJson.task(request.node("program")));
                yield Lines.object();
            }
            case REFRESH -> {
                driver.refresh(id(request), VmJson.variables(request));
                yield Lines.object();
            }
            case REPORT -> TaskJson.report(driver.report(id(request), TaskJson.name(request), offset(request)));
        };
    }

    private static VmId id(Members request) throws WireException {
        return VmJson.id(request.text("id"));
    }

    private static SnapshotId snapshot(Members request) throws WireException {
        return VmJson.snapshot(request.text("snapshot"));
    }

    private static long offset(Members request) throws WireException {
        long offset = request.number("offset");
        if (offset < 0) {
            throw new WireException("'offset' is negative");
        }
        return offset;
    }

    private static Duration grace(Members request) throws WireException {
        Duration grace = Duration.ofMillis(request.number("grace_millis"));
        if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
            throw new WireException("'grace_millis' is out of range (expected: 0 to " + LONGEST_GRACE.toMillis() + ")");
        }
        return grace;
    }
}
