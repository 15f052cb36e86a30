package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fields that ask an origin to take a request for one with another method or path. Where rules decide by method or path
 * they are not forwarded, because they would be a way around the rules (docs/spec/decisions.md, section 20). Pure
 * functions.
 */
public final class OverrideFields {

    private static final Map<String, String> NAMES = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    static {
        for (String name : List.of(
                "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL")) {
            NAMES.put(name, name);
        }
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
        boolean drops = false;
        for (int i = 0; i < headers.size(); i++) {
            String name = overriding(headers.name(i));
            if (name != null && (drops || generation.decidesByTarget(loop, destination))) {
                drops = true;
                record.note(MutableAuditRecord.DROPPED_OVERRIDE, name);
            }
        }
        for (int i = headers.size() - 1; drops && i >= 0; i--) {
            if (overriding(headers.name(i)) != null) {
                headers.removeAt(i);
            }
        }
    }

    /** The name of such a field as it is usually spelt; null for any other field. */
    private static @Nullable String overriding(String name) {
        return name.length() > 2 && (name.charAt(0) | 0x20) == 'x' && name.charAt(1) == '-' ? NAMES.get(name) : null;
    }
}
