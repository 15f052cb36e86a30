package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Pages;
import dev.sallyport.ctl.problem.Problem;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of lists that come in pages. */
final class PageOptions {

    @Option(names = "--limit", paramLabel = "N", description = "At most so many; all by default.")
    @Nullable Integer limit;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "Go on where a list with --limit ended.")
    @Nullable String cursor;

    /** Refuses a limit out of range; before anything is sent. */
    void refuseOutOfRange() throws Problem {
        if (limit != null && limit < 1) {
            throw Problem.usage("--limit is out of range (expected: 1 or more)");
        }
    }

    /** Collects the pages that were asked for. */
    ObjectNode collect(ApiClient api, Call call) throws Problem, InterruptedException {
        return Pages.collect(api, call, limit, cursor);
    }

    /** Collects those that are wanted; pages are asked for until there are as many of them as the limit allows. */
    ObjectNode collect(ApiClient api, Call call, Predicate<JsonNode> wanted) throws Problem, InterruptedException {
        return Pages.collect(api, call, limit, cursor, wanted);
    }
}
