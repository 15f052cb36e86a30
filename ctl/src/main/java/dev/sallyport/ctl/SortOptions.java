package dev.sallyport.ctl;

import dev.sallyport.ctl.client.Call;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of lists that can be sorted. */
final class SortOptions {

    @Option(names = "--sort", paramLabel = "FIELD", description = "What orders the list; created_at by default.")
    @Nullable String sort;

    @Option(names = "--order", paramLabel = "asc|desc", description = "Direction of the order; desc by default.")
    @Nullable String order;

    Call in(Call call) {
        return call.query("sort", sort).query("order", order);
    }
}
