package dev.sallyport.server.summary;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.server.summary.CredentialGroups.Group;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which credentials go where. Names sources and never values. Pure functions. */
final class CredentialSentence {

    private static final int MOST_CREDENTIALS = 5;
    private static final int MOST_HOSTS = 3;
    private static final String SECRETS = "secrets";

    /** The fields of sources that say where a value is read; others are not shown. */
    private static final List<String> SHOWN = List.of("var", "path", "secretId", "name", "secretRef");

    private CredentialSentence() {}

    /** {@code delivered}: whether a control plane delivers policies. */
    static String of(List<TransformEntry<?>> entries, boolean delivered) {
        List<String> credentials = new ArrayList<>();
        for (TransformEntry<?> entry : entries) {
            if (entry.capabilities().effects().contains(Effect.INJECTS_CREDENTIAL)) {
                CredentialGroups.of(entry).forEach(group -> credentials.add(credential(entry, group)));
            }
        }
        int more = credentials.size() - MOST_CREDENTIALS;
        String list = String.join("; ", credentials.subList(0, Math.min(credentials.size(), MOST_CREDENTIALS)));
        return switch (credentials.size()) {
            case 0 ->
                delivered
                        ? "Credentials are added by the policies of the control plane alone."
                        : "No credential is added to any request.";
            case 1 -> "One credential is added: " + list + ".";
            default ->
                credentials.size() + " credentials are added: " + list + (more > 0 ? "; and " + more + " more" : "")
                        + ".";
        };
    }

    private static String credential(TransformEntry<?> entry, Group group) {
        List<String> sources =
                group.refs().stream().map(CredentialSentence::source).distinct().toList();
        String read = Shortened.list(sources, MOST_HOSTS);
        String what = entry.name().equals(SECRETS) && !read.isEmpty()
                ? read
                : entry.name() + (read.isEmpty() ? "" : " with " + read);
        return what + " for " + destinations(group.rules());
    }

    private static String destinations(List<Rule> rules) {
        List<String> hosts = rules.stream()
                .map(rule -> rule.host() == null ? String.valueOf(rule.cidr()) : rule.host())
                .distinct()
                .toList();
        return hosts.isEmpty() || hosts.contains("*") ? "every host" : Shortened.list(hosts, MOST_HOSTS);
    }

    private static String source(SecretRef ref) {
        Map<String, Object> parts = RecordParts.of(ref.config());
        for (String field : SHOWN) {
            Object value = parts.get(field);
            if (value != null) {
                return ref.type() + " " + value;
            }
        }
        return ref.type();
    }
}
