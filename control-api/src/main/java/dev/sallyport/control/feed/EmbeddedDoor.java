package dev.sallyport.control.feed;

import dev.sallyport.core.PipelineFeed;
import dev.sallyport.toolkit.match.IpRange;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The proxy of the same process, if there is one.
 *
 * @param pipelines where policies come into it; null when the control plane runs alone
 * @param tags those that it carries
 * @param defaultAccount who is served that is of no workload: {@link #FIRST}, {@link #NONE}, or the id of an organization
 * @param sources which policies of all accounts may read, as {@link PolicySources#names}
 * @param deniedRanges those that it does not dial now; none when the control plane runs alone
 */
public record EmbeddedDoor(
        @Nullable PipelineFeed pipelines,
        List<String> tags,
        String defaultAccount,
        Set<String> sources,
        Supplier<List<IpRange>> deniedRanges) {

    /** The account that signed up first. */
    public static final String FIRST = "first";

    /** Nobody. */
    public static final String NONE = "none";

    public EmbeddedDoor {
        tags = List.copyOf(tags);
        sources = Set.copyOf(sources);
    }
}
