package dev.sallyport.control.audit;

import dev.sallyport.control.model.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One column for each combination of the filters of many values. It holds 64 bits of a hash of organization, class and
 * these values, and is null where the event lacks one of them; an index of it and the identifier finds the newest rows of
 * any combination of filters at once. Readers compare the values themselves as well, for a hash may be that of others.
 */
enum EgressFacet {
    CLASS("facet_class"),
    VM("facet_vm", Part.VM),
    HOST("facet_host", Part.HOST),
    CIDR("facet_cidr", Part.CIDR),
    VM_HOST("facet_vm_host", Part.VM, Part.HOST),
    VM_CIDR("facet_vm_cidr", Part.VM, Part.CIDR),
    HOST_CIDR("facet_host_cidr", Part.HOST, Part.CIDR),
    VM_HOST_CIDR("facet_vm_host_cidr", Part.VM, Part.HOST, Part.CIDR);

    private enum Part {
        VM,
        HOST,
        CIDR;

        @Nullable String of(EgressFilter.Subject subject) {
            return switch (this) {
                case VM -> subject.vmId();
                case HOST -> subject.host();
                case CIDR -> subject.cidr();
            };
        }
    }

    private final String column;

    @SuppressWarnings("ImmutableEnumChecker") // the list is
    private final List<Part> parts;

    EgressFacet(String column, Part... parts) {
        this.column = column;
        this.parts = List.of(parts);
    }

    String column() {
        return column;
    }

    /** The one whose values are those that a filter names. */
    static EgressFacet of(EgressFilter.Subject filter) {
        return Arrays.stream(values())
                .filter(facet -> Arrays.stream(Part.values())
                        .allMatch(part -> facet.parts.contains(part) == (part.of(filter) != null)))
                .findFirst()
                .orElseThrow();
    }

    /** The value of the column; null when one of the values is missing. */
    @Nullable Long value(String organization, EgressClass folded, EgressFilter.Subject subject) {
        List<@Nullable Object> all = new ArrayList<>(List.of(organization, folded.number(), column));
        for (Part part : parts) {
            String value = part.of(subject);
            if (value == null) {
                return null;
            }
            all.add(value);
        }
        return hash(Json.text(all));
    }

    private static long hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
