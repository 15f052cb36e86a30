package dev.sallyport.server.learn;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All paths of a host, and how they are generalised: a segment that {@linkplain SegmentKind looks} like an identifier, and
 * one of more than {@value #MOST} that follow the same segments, becomes {@code *}. First all paths are added, then
 * patterns are asked for. Not thread-safe.
 */
final class PathTree {

    /** So many different segments in one place are kept as they are. */
    static final int MOST = 20;

    private final Node root = new Node();
    private boolean collapsed;

    /** Adds a path: its decoded segments. */
    void add(List<String> segments) {
        Node node = root;
        for (String segment : segments) {
            SegmentKind kind = SegmentKind.of(segment);
            node = kind == null ? node.literal(segment) : node.any(kind);
        }
    }

    /** The pattern of a path that was added. */
    LearnedPath pattern(List<String> segments) {
        if (!collapsed) {
            root.collapse();
            collapsed = true;
        }
        List<String> pattern = new ArrayList<>(segments.size());
        Set<SegmentKind> kinds = EnumSet.noneOf(SegmentKind.class);
        Node node = root;
        for (String segment : segments) {
            Node literal = SegmentKind.of(segment) == null ? node.literals.get(segment) : null;
            if (literal == null) {
                kinds.addAll(node.kinds);
                pattern.add(LearnedPath.ANY);
                node = node.any();
            } else {
                pattern.add(WritableSegment.of(segment, kinds));
                node = literal;
            }
        }
        return new LearnedPath(pattern, kinds);
    }

    /** What follows the same segments. */
    private static final class Node {

        private final Map<String, Node> literals = new TreeMap<>();
        private final Set<SegmentKind> kinds = EnumSet.noneOf(SegmentKind.class);
        private @Nullable Node any;

        Node literal(String segment) {
            return literals.computeIfAbsent(segment, name -> new Node());
        }

        Node any(SegmentKind kind) {
            kinds.add(kind);
            return any();
        }

        Node any() {
            if (any == null) {
                any = new Node();
            }
            return any;
        }

        /** An empty segment, before or after a slash of its own, is none that varies. */
        void collapse() {
            int varying = literals.size() - (literals.containsKey("") ? 1 : 0);
            if (varying > MOST) {
                Node empty = literals.remove("");
                Node merged = any(SegmentKind.VARYING);
                literals.values().forEach(merged::merge);
                literals.clear();
                if (empty != null) {
                    literals.put("", empty);
                }
            }
            literals.values().forEach(Node::collapse);
            if (any != null) {
                any.collapse();
            }
        }

        private void merge(Node other) {
            other.literals.forEach((segment, node) -> literal(segment).merge(node));
            kinds.addAll(other.kinds);
            if (other.any != null) {
                any().merge(other.any);
            }
        }
    }
}
