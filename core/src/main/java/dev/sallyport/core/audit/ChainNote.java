package dev.sallyport.core.audit;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A record of the chain about itself.
 *
 * @param msg in the place of {@code request}, and the name of its group of fields
 * @param text for people; null for none
 */
record ChainNote(
        String msg,
        AuditRecord.Level level,
        Map<String, ?> fields,
        @Nullable String text) {}
