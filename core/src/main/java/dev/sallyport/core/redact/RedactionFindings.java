package dev.sallyport.core.redact;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values that were removed from the responses of one exchange, for the audit record, under the transform that put
 * them in: {@code redacted: [{secret, locations}]}. Names only. Edges of parts that were masked are only counted: what
 * stood there may have been anything.
 */
final class RedactionFindings {

    private static final String REDACTED = "redacted";

    private final MutableAuditRecord record;
    private final Map<String, TransformTrace> traces = new LinkedHashMap<>(2);
    private final Map<String, Map<String, Set<String>>> locations = new LinkedHashMap<>(2);

    RedactionFindings(MutableAuditRecord record) {
        this.record = record;
    }

    /** Something was masked at an edge of a part. */
    void addEdge() {
        record.edgeMasked();
    }

    /** Notes that a value was found; noting it again changes nothing. */
    void add(String stage, String secret, String location) {
        Map<String, Set<String>> mine = locations.computeIfAbsent(stage, first -> new LinkedHashMap<>(4));
        if (!mine.computeIfAbsent(secret, first -> new LinkedHashSet<>(4)).add(location)) {
            return;
        }
        List<Map<String, Object>> list = new ArrayList<>(mine.size());
        mine.forEach((name, where) -> {
            Map<String, Object> use = new LinkedHashMap<>(4);
            use.put("secret", name);
            use.put("locations", List.copyOf(where));
            list.add(use);
        });
        traces.computeIfAbsent(stage, record::responseTrace).annotate(REDACTED, list);
    }
}
