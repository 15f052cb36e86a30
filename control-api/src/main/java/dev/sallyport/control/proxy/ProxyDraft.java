package dev.sallyport.control.proxy;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Tags;
import java.util.List;

/** A proxy to be made. */
@ServerOwned({"id", "prefix", "status", "created_at", "last_seen_at", "applied_revision", "problems"})
public record ProxyDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = "[a-z0-9]+(-[a-z0-9]+)*",
                expected = "lower-case letters and digits, in groups joined by single hyphens",
                description = "Unique in the organization.")
        String name,

        @Limits(max = 100, description = "Policies reach it whose tags are all among these.")
        List<String> tags)
        implements Checked {

    public ProxyDraft {
        tags = List.copyOf(tags);
    }

    @Override
    public void check(FieldProblems problems) {
        Tags.check("tags", tags, problems);
    }
}
