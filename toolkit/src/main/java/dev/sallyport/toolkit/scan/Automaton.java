package dev.sallyport.toolkit.scan;

import java.util.Arrays;
import java.util.List;

/**
 * An Aho-Corasick automaton over bytes. A state stands for a prefix of some token: the longest one that the bytes read
 * so far end with. States are numbered as the tokens are added, so that nearly always a state's only child is its
 * successor; other children are in a hash table. Immutable.
 */
final class Automaton {

    static final int ROOT = 0;

    private static final int CHILD = 0x100;
    private static final int BRANCHES = 0x200;
    private static final int OUTPUT = 0x400;

    private final int[] root = new int[256];
    /** For each state: the byte that leads to the successor (with CHILD), and flags. */
    private final char[] edges;

    private final int[] failures;
    private final int[] depths;
    /** For each state: the longest token that ends there, or -1. */
    private final int[] outputs;

    /**
     * For each state: one more than the token of which it is a sufficient beginning; empty if partial tokens do not
     * count.
     */
    private int[] begun = {};
    /** For each state: its longest suffix that is a sufficient beginning of a token; 0 for none. */
    private int[] beginnings = {};

    private int[] branchKeys = new int[16];
    private int[] branchTargets = new int[16];
    private int branches;

    /** @param heads for each token, the length of a sufficient beginning; empty if only whole tokens count */
    Automaton(List<byte[]> tokens, int totalLength, int[] heads) {
        if (heads.length > 0) {
            begun = new int[totalLength + 1];
            beginnings = new int[totalLength + 1];
        }
        edges = new char[totalLength + 1];
        failures = new int[totalLength + 1];
        depths = new int[totalLength + 1];
        outputs = new int[totalLength + 1];
        Arrays.fill(outputs, -1);
        int[] parents = new int[totalLength + 1];
        byte[] labels = new byte[totalLength + 1];
        int states = 1;
        for (int token = 0; token < tokens.size(); token++) {
            int state = ROOT;
            for (byte label : tokens.get(token)) {
                int child = child(state, label & 0xff);
                if (child == 0) {
                    child = states++;
                    parents[child] = state;
                    labels[child] = label;
                    depths[child] = depths[state] + 1;
                    link(state, label & 0xff, child);
                }
                state = child;
                if (heads.length > 0 && begun[state] == 0 && depths[state] >= heads[token]) {
                    begun[state] = token + 1;
                }
            }
            if (outputs[state] < 0) {
                outputs[state] = token;
            }
        }
        complete(byDepth(states), parents, labels);
    }

    /** The state after one more byte (0..255). */
    int step(int from, int value) {
        int state = from;
        while (state != ROOT) {
            int child = child(state, value);
            if (child != 0) {
                return child;
            }
            state = failures[state];
        }
        return root[value];
    }

    /** The number of bytes that the state stands for. */
    int depth(int state) {
        return depths[state];
    }

    /** Whether some token ends here. */
    boolean hasOutput(int state) {
        return (edges[state] & OUTPUT) != 0;
    }

    /** The longest token that ends here, or -1. */
    int output(int state) {
        return outputs[state];
    }

    /** Whether no token continues from here. */
    boolean isLeaf(int state) {
        return (edges[state] & (CHILD | BRANCHES)) == 0;
    }

    /** The longest suffix state that is a sufficient beginning of a token; ROOT for none. */
    int beginning(int state) {
        return beginnings[state];
    }

    /** The next shorter such state. */
    int shorterBeginning(int beginning) {
        return beginnings[failures[beginning]];
    }

    /** The token that this state begins. */
    int begunToken(int beginning) {
        return begun[beginning] - 1;
    }

    private int child(int state, int value) {
        if (state == ROOT) {
            return root[value];
        }
        int edge = edges[state];
        if ((edge & (CHILD | 0xff)) == (CHILD | value)) {
            return state + 1;
        }
        return (edge & BRANCHES) == 0 ? 0 : branch((state << 8) | value);
    }

    private void link(int state, int value, int child) {
        if (state == ROOT) {
            root[value] = child;
        } else if (child == state + 1) {
            edges[state] = (char) (edges[state] | CHILD | value);
        } else {
            edges[state] = (char) (edges[state] | BRANCHES);
            if (2 * ++branches > branchKeys.length) {
                grow();
            }
            put((state << 8) | value, child);
        }
    }

    private int branch(int key) {
        int mask = branchKeys.length - 1;
        for (int slot = slot(key, mask); branchKeys[slot] != 0; slot = (slot + 1) & mask) {
            if (branchKeys[slot] == key) {
                return branchTargets[slot];
            }
        }
        return 0;
    }

    private void put(int key, int child) {
        int mask = branchKeys.length - 1;
        int slot = slot(key, mask);
        while (branchKeys[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        branchKeys[slot] = key;
        branchTargets[slot] = child;
    }

    private void grow() {
        int[] keys = branchKeys;
        int[] targets = branchTargets;
        branchKeys = new int[2 * keys.length];
        branchTargets = new int[2 * keys.length];
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] != 0) {
                put(keys[i], targets[i]);
            }
        }
    }

    private static int slot(int key, int mask) {
        int hash = key * 0x9E3779B9;
        return (hash ^ (hash >>> 15)) & mask;
    }

    private int[] byDepth(int states) {
        int deepest = 0;
        for (int state = 0; state < states; state++) {
            deepest = Math.max(deepest, depths[state]);
        }
        int[] starts = new int[deepest + 2];
        for (int state = 0; state < states; state++) {
            starts[depths[state] + 1]++;
        }
        for (int depth = 1; depth < starts.length; depth++) {
            starts[depth] += starts[depth - 1];
        }
        int[] order = new int[states];
        for (int state = 0; state < states; state++) {
            order[starts[depths[state]]++] = state;
        }
        return order;
    }

    private void complete(int[] order, int[] parents, byte[] labels) {
        for (int state : order) {
            if (depths[state] > 1) {
                failures[state] = step(failures[parents[state]], labels[state] & 0xff);
            }
            if (outputs[state] < 0) {
                outputs[state] = outputs[failures[state]];
            }
            if (begun.length > 0) {
                beginnings[state] = begun[state] > 0 ? state : beginnings[failures[state]];
            }
            if (outputs[state] >= 0) {
                edges[state] = (char) (edges[state] | OUTPUT);
            }
        }
    }
}
