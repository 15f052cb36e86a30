package dev.sallyport.toolkit.match;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for the methods that rules name, compared upper case (ASCII). A look-up allocates nothing. */
final class MethodNames {

    /** No rule names this method. */
    static final int UNKNOWN = -1;

    private final String[] names;
    private final int[] slots;

    private MethodNames(List<String> upperCase) {
        names = upperCase.toArray(new String[0]);
        slots = new int[Integer.highestOneBit(Math.max(1, names.length) * 2 - 1) * 2];
        for (int i = 0; i < names.length; i++) {
            int slot = hash(names[i]) & slots.length - 1;
            while (slots[slot] != 0) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = i + 1;
        }
    }

    /** The number of a method, or {@link #UNKNOWN}. */
    int find(String method) {
        int slot = hash(method) & slots.length - 1;
        while (slots[slot] != 0) {
            int number = slots[slot] - 1;
            if (equal(names[number], method)) {
                return number;
            }
            slot = slot + 1 & slots.length - 1;
        }
        return UNKNOWN;
    }

    private static boolean equal(String upperCase, String method) {
        if (upperCase.length() != method.length()) {
            return false;
        }
        for (int i = 0; i < method.length(); i++) {
            if (upperCase.charAt(i) != upper(method.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static int hash(String method) {
        int hash = 0;
        for (int i = 0; i < method.length(); i++) {
            hash = hash * 31 + upper(method.charAt(i));
        }
        return hash ^ hash >>> 16;
    }

    private static char upper(char c) {
        return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
    }

    /** Assigns the numbers. */
    static final class Builder {

        private final Map<String, Integer> numbers = new HashMap<>();
        private final List<String> names = new ArrayList<>();

        int number(String method) {
            StringBuilder upperCase = new StringBuilder(method);
            for (int i = 0; i < method.length(); i++) {
                upperCase.setCharAt(i, upper(method.charAt(i)));
            }
            return numbers.computeIfAbsent(upperCase.toString(), name -> {
                names.add(name);
                return names.size() - 1;
            });
        }

        MethodNames build() {
            return new MethodNames(names);
        }
    }
}
