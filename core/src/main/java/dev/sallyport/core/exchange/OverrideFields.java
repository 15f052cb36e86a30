package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.util.Set;
import java.util.TreeSet;

/**
 * Fields that ask an origin to take a request for one with another method or path. Where rules decide by method or path
 * they are not forwarded, because they would be a way around the rules (docs/spec/decisions.md, section 20). Pure
 * functions.
 */
public final class OverrideFields {

    private static final Set<String> NAMES = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        NAMES.addAll(Set.of(
                "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"));
    }

    private OverrideFields() {}

    /**
     * Removes them from a request whose destination has rules by method or path, and records which; on the loop, under a
     * lease of the generation or before it is taken. Costs one look at each name.
     */
    public static void drop(
            Generation generation,
            EventLoop loop,
            Destination destination,
            HeaderBlock headers,
            MutableAuditRecord record) {
        for (int i = headers.size() - 1; i >= 0; i--) {
            String name = headers.name(i);
            if (isOverride(name) && generation.decidesByTarget(loop, destination)) {
                record.note(MutableAuditRecord.DROPPED_OVERRIDE, name);
                headers.removeAt(i);
            }
        }
    }

    private static boolean isOverride(String name) {
        return name.length() > 2 && (name.charAt(0) | 0x20) == 'x' && name.charAt(1) == '-' && NAMES.contains(name);
    }
}
