package dev.sallyport.core.config;

import java.util.Set;

/**
 * The places of all values in a configuration: finds the place of a JSON pointer, so that later problems are reported
 * as precisely as those found while reading. Immutable.
 */
public final class Locations {

    private final ConfigNode root;
    private final String base;
    private final Findings findings;

    /**
     * Places below a node.
     *
     * @param base JSON pointer of the node
     */
    Locations(ConfigNode root, String base, Findings findings) {
        this.root = root;
        this.base = base;
        this.findings = findings;
    }

    /** A single place for all values. */
    public static Locations everywhere(Location at) {
        return new Locations(ConfigNode.Mapping.empty(at), "", new Findings());
    }

    /** The place of a pointer's target, or of the nearest enclosing value if there is none. */
    public Location of(String pointer) {
        return inside(pointer) ? Pointers.locate(root, pointer.substring(base.length())) : root.at();
    }

    /** Whether the value is set and not a default. */
    public boolean isGiven(String pointer) {
        return inside(pointer) && Pointers.find(root, pointer.substring(base.length())) != null;
    }

    /** Whether the value and everything in it were read without a problem. */
    public boolean isSound(String pointer) {
        return !findings.isTouched(pointer);
    }

    /** The keys that are set below this. */
    Set<String> keys() {
        return root instanceof ConfigNode.Mapping mapping ? mapping.entries().keySet() : Set.of();
    }

    private boolean inside(String pointer) {
        return pointer.equals(base) || pointer.startsWith(base + "/");
    }
}
