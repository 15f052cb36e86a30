package dev.sallyport.sandboxd.vm;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.Members;
import dev.sallyport.sandboxd.wire.VmJson;
import dev.sallyport.sandboxd.wire.WireException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a snapshot is made of, as its file says.
 *
 * @param vm whose it is
 * @param image the digest of the image below all layers
 * @param layers their digests, the last one first; without its own until it is sealed
 * @param sizeBytes of its own layer, and of the memory of its VM; 0 until it is sealed
 */
record SnapshotRecord(VmId vm, String image, List<String> layers, long sizeBytes) {

    private static final Set<String> MEMBERS = Set.of("vm", "image", "layers", "size_bytes");

    SnapshotRecord {
        layers = List.copyOf(layers);
    }

    /** With its own layer. */
    SnapshotRecord sealed(String digest, long bytes) {
        List<String> all = new ArrayList<>(List.of(digest));
        all.addAll(layers);
        return new SnapshotRecord(vm, image, all, bytes);
    }

    String toJson() {
        ObjectNode node =
                Lines.object().put("vm", vm.value()).put("image", image).put("size_bytes", sizeBytes);
        node.set("layers", VmJson.texts(layers));
        return node.toPrettyString();
    }

    static SnapshotRecord parse(String text) throws WireException {
        Members members = Members.of(Lines.parse(text), MEMBERS);
        return new SnapshotRecord(
                VmJson.id(members.text("vm")),
                members.text("image"),
                VmJson.texts(members.node("layers")),
                members.number("size_bytes"));
    }
}
