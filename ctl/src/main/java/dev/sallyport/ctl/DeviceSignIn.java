package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Unreachable;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in with a code that the user approves in a browser (docs/spec/decisions.md, section 15a;
 * RFC 8628 with one code).
 */
final class DeviceSignIn {

    private static final Duration INTERVAL = Duration.ofSeconds(2);

    /** RFC 8628, 3.5: what is added to the interval when the server asks to slow down. */
    private static final Duration SLOWER = Duration.ofSeconds(5);

    /** How long a code lives when the server does not say. */
    private static final Duration LIFE = Duration.ofMinutes(10);

    private final ApiClient api;
    private final Terminal terminal;

    DeviceSignIn(ApiClient api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /** Asks for a code, shows it, and waits until somebody has approved it. Blocks. */
    String key() throws Problem, InterruptedException {
        JsonNode device = api.send(Call.post("/v1/auth/device/code", null)).object();
        String code = device.path("code").asText();
        terminal.note("Open this page in a browser, sign in, and compare the code:");
        terminal.note("");
        terminal.note("  " + device.path("verification_uri").asText());
        terminal.note("  " + code);
        terminal.note("");
        return poll(code, end(device.path("expires_at").asText()));
    }

    private Instant end(String expiresAt) {
        try {
            return Instant.parse(expiresAt);
        } catch (DateTimeParseException e) {
            return terminal.clock().instant().plus(LIFE);
        }
    }

    private String poll(String code, Instant end) throws Problem, InterruptedException {
        Call call = Call.get("/v1/auth/device/poll").query("code", code);
        Duration interval = INTERVAL;
        while (true) {
            terminal.pause().sleep(interval);
            try {
                JsonNode answer = api.once(call).object();
                switch (answer.path("status").asText()) {
                    case "authorized" -> {
                        String key = answer.path("token").asText();
                        Ctl.checkKey(key, "the answer");
                        return key;
                    }
                    case "pending" -> {}
                    default -> throw notApproved();
                }
            } catch (ApiRefusal refusal) {
                interval = slower(refusal, interval);
            } catch (Unreachable unreachable) {
                // A server that restarts: the code outlives that. RFC 8628, 3.5 asks for longer intervals.
                interval = later(interval, unreachable, end);
            }
            if (!terminal.clock().instant().isBefore(end)) {
                throw notApproved();
            }
        }
    }

    private static Duration slower(ApiRefusal refusal, Duration interval) throws ApiRefusal {
        if (refusal.status() != 429
                && refusal.status() != 503
                && !refusal.code().equals("slow_down")) {
            throw refusal;
        }
        Duration slower = interval.plus(SLOWER);
        @Nullable Duration after = refusal.retryAfter();
        return after != null && after.compareTo(slower) > 0 ? after : slower;
    }

    private Duration later(Duration interval, Unreachable unreachable, Instant end) throws Unreachable {
        if (!terminal.clock().instant().isBefore(end)) {
            throw unreachable;
        }
        return interval.plus(SLOWER);
    }

    private static Problem notApproved() {
        return new Problem(
                ExitCode.NOT_SIGNED_IN,
                "the code was refused, or has expired (expected: somebody who approves it; run login again)");
    }
}
