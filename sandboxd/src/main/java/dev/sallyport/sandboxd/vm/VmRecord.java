package dev.sallyport.sandboxd.vm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.VmSpec;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.VmJson;
import dev.sallyport.sandboxd.wire.WireException;
import java.net.Inet4Address;
import java.util.List;
import java.util.Set;

/**
 * What a VM is made of, as its file says.
 *
 * @param spec what was asked for
 * @param digest the image that its name pointed to, or that its snapshot's line began with
 * @param layers what snapshots added to the image, as digests, the last one first
 */
public record VmRecord(VmSpec spec, String digest, List<String> layers) {

    private static final Set<String> MEMBERS = Set.of("spec", "digest");
    private static final Set<String> MEMBERS_WITH_LAYERS = Set.of("spec", "digest", "layers");

    /** Copies the list. */
    public VmRecord {
        layers = List.copyOf(layers);
    }

    /** Where its guest is in the network. */
    public Inet4Address address() {
        return spec.network().address();
    }

    String toJson() {
        ObjectNode node = Lines.object().put("digest", digest);
        node.set("spec", VmJson.spec(spec));
        if (!layers.isEmpty()) {
            node.set("layers", VmJson.texts(layers));
        }
        return node.toPrettyString();
    }

    static VmRecord parse(String text) throws WireException {
        JsonNode node = Lines.parse(text);
        Members members = Members.of(node, node.has("layers") ? MEMBERS_WITH_LAYERS : MEMBERS);
        return new VmRecord(
                VmJson.spec(members.node("spec")), members.text("digest"), VmJson.texts(members.node("layers")));
    }
}
