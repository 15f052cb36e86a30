package dev.sallyport.control.sandbox;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The places for VMs that are being made. Who finds none is called when one is free: one organization after the other, and
 * of each the VM that has waited longest. Thread-safe; never blocks.
 */
final class Slots {

    private int free;

    /** By organization, in the order of their turns. */
    private final Map<String, Set<String>> waiting = new LinkedHashMap<>();

    /** Those that were called and have not come yet; each has a place. */
    private final Set<String> called = new HashSet<>();

    private volatile Consumer<String> caller = vm -> {};

    /** @param places how many there are */
    Slots(int places) {
        free = places;
    }

    /** Calls VMs in this way from now on. */
    void onFree(Consumer<String> call) {
        caller = call;
    }

    /** Takes a place, or a turn: false when the VM has to wait until it is called. */
    synchronized boolean take(String organization, String vm) {
        if (called.remove(vm)) {
            return true;
        }
        if (free > 0) {
            free--;
            return true;
        }
        waiting.computeIfAbsent(organization, any -> new LinkedHashSet<>()).add(vm);
        return false;
    }

    /** Whether it was called, and has a place that it has not taken. */
    synchronized boolean isCalled(String vm) {
        return called.contains(vm);
    }

    /** Gives a place back. */
    void release() {
        String next;
        synchronized (this) {
            next = next();
            if (next == null) {
                free++;
            } else {
                called.add(next);
            }
        }
        if (next != null) {
            caller.accept(next);
        }
    }

    /** Gives up what a VM waits for, and the place that it was called to. */
    void leave(String organization, String vm) {
        boolean had;
        synchronized (this) {
            Set<String> queue = waiting.get(organization);
            if (queue != null && queue.remove(vm) && queue.isEmpty()) {
                waiting.remove(organization);
            }
            had = called.remove(vm);
        }
        if (had) {
            release();
        }
    }

    /** With the lock held. */
    private @Nullable String next() {
        Iterator<Map.Entry<String, Set<String>>> turns = waiting.entrySet().iterator();
        if (!turns.hasNext()) {
            return null;
        }
        Map.Entry<String, Set<String>> turn = turns.next();
        String organization = turn.getKey();
        Set<String> queue = turn.getValue();
        turns.remove();
        Iterator<String> oldest = queue.iterator();
        String vm = oldest.next();
        oldest.remove();
        if (!queue.isEmpty()) {
            waiting.put(organization, queue);
        }
        return vm;
    }
}
