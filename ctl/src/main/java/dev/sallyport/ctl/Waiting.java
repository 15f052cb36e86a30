package dev.sallyport.ctl;

import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of changes that may wait until they are in force (docs/spec/decisions.md, section 16). */
final class Waiting {

    private static final Duration LONGEST = Duration.ofSeconds(30);

    @Option(names = "--wait", description = "Wait until the change is in force.")
    boolean wait;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long to wait (${DEFAULT-VALUE}, at most 30s).")
    Duration timeout = Duration.ofSeconds(5);

    /** Refuses a time out of range; before anything is sent. */
    void refuseOutOfRange() throws Problem {
        if (timeout.compareTo(LONGEST) > 0 || timeout.isZero()) {
            throw Problem.usage("--timeout is out of range (expected: 1s to 30s)");
        }
    }

    /** The call, with what is to be waited for. */
    Call in(Call call) {
        return wait
                ? call.query("wait", "applied")
                        .query("timeout", timeout.toSeconds() + "s")
                        .patience(timeout)
                : call;
    }

    /** For the words that tell of the change. */
    String suffix(Reply reply) {
        return wait && isApplied(reply) ? ", and applied" : "";
    }

    private static boolean isApplied(Reply reply) {
        return "true".equals(reply.header("Sallyport-Applied"));
    }

    /**
     * Whether the change counts as done. A server that does not know of waiting says nothing: then nothing is known.
     *
     * @throws Problem when it was made, but is not known to be applied
     */
    void check(Reply reply) throws Problem {
        if (!wait || isApplied(reply)) {
            return;
        }
        String revision = reply.header("Sallyport-Revision");
        String made = "the change was made" + (revision == null ? "" : " (revision " + revision + ")");
        throw new Problem(
                ExitCode.NOT_APPLIED,
                "false".equals(reply.header("Sallyport-Applied"))
                        ? made + ", but not everything that it concerns has applied it within " + timeout.toSeconds()
                                + " s (expected: proxies, guests and VMs that go by it)"
                        : made + ", but the server does not tell whether it is applied (expected: a server "
                                + "that knows wait=applied)");
    }
}
