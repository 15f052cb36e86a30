package dev.sallyport.core;

import dev.sallyport.core.config.ByteSize;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Locations;
import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.http.HeadBudget;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Divides the memory of this process among what others can fill. Bodies lie outside of the heap where they pass, and on
 * it where they are read; heads and captured bytes lie on it. Together they leave half of the heap for everything else.
 *
 * @param heap the maximum of the heap in bytes
 * @param direct the maximum of memory beside it
 * @param bodies the limit on bytes of bodies that are held back
 * @param heads the limit on bytes of heads
 * @param connectionHeads the limit on bytes of heads of one connection
 * @param captured the limit on captured bytes whose records are to be written
 */
record MemoryBudgets(long heap, long direct, long bodies, long heads, int connectionHeads, long captured) {

    private static final String BODIES = "/proxy/limits/buffered_bytes";
    private static final String HEADS = "/proxy/limits/buffered_head_bytes";
    private static final long MIB = 1 << 20;
    private static final long MOST = 256 * MIB;
    private static final long MOST_CAPTURED = 64 * MIB;

    /**
     * The part of the heap that {@code captured}, {@code heads} and {@code bodies} may take together: three quarters.
     */
    private static final int WHOLE = 4;

    private static final int PART = 3;

    /** The budgets of this process. */
    static MemoryBudgets of(ProxyLimits limits) {
        return of(limits, Runtime.getRuntime().maxMemory(), PlatformDependent.maxDirectMemory());
    }

    /**
     * The budgets of a process with this much memory: configured limits count, others are a fraction of what there is.
     */
    static MemoryBudgets of(ProxyLimits limits, long heap, long direct) {
        return new MemoryBudgets(
                heap,
                direct,
                chosen(limits.bufferedBytes(), Math.min(MOST, Math.min(heap, direct) / 4)),
                chosen(limits.bufferedHeadBytes(), Math.min(MOST, heap / 8)),
                Math.toIntExact(limits.connectionHeadBytes().bytes()),
                Math.min(MOST_CAPTURED, heap / 8));
    }

    private static long chosen(@Nullable ByteSize configured, long derived) {
        return configured == null ? Math.max(MIB, derived) : configured.bytes();
    }

    /** A budget for heads. */
    HeadBudget headBudget() {
        return new HeadBudget(heads, connectionHeads);
    }

    /** Warnings about limits that do not fit, at their fields. */
    static List<ConfigProblem> misfits(ProxySection proxy, Locations places) {
        ProxyLimits limits = proxy.limits();
        MemoryBudgets memory = of(limits);
        List<ConfigProblem> found = new ArrayList<>();
        ConfigProblem misfit = memory.misfit(limits.bufferedBytes() == null ? HEADS : BODIES, places);
        if (misfit != null) {
            found.add(misfit);
        }
        memory.body("/proxy/max_request_body_bytes", proxy.maxRequestBodyBytes(), places, found);
        memory.body("/proxy/max_response_body_bytes", proxy.maxResponseBodyBytes(), places, found);
        return found;
    }

    /** A body that may be longer than all bodies together would be refused before it reaches its own limit. */
    private void body(String field, long most, Locations places, List<ConfigProblem> found) {
        if (most > bodies) {
            found.add(new ConfigProblem(
                    places.of(field),
                    field,
                    most + " bytes of one body are more than the " + new ByteSize(bodies)
                            + " for all together, so that one of this length can never be held",
                    "at most " + bodies + ", or a larger limits.buffered_bytes"));
        }
    }

    /** @param field the field to be reduced */
    @Nullable ConfigProblem misfit(String field, Locations places) {
        if (bodies + heads + captured > heap / WHOLE * PART) {
            String message = "buffered_bytes (" + size(bodies) + ") and buffered_head_bytes (" + size(heads)
                    + ") do not fit a heap of " + size(heap);
            String most = size(Math.max(0, heap / WHOLE * PART - captured));
            return new ConfigProblem(
                    places.of(field), field, message, "at most " + most + " together, or a larger -Xmx");
        }
        if (bodies > direct) {
            String message = size(bodies) + " do not fit the " + size(direct) + " of memory beside the heap";
            return new ConfigProblem(places.of(BODIES), BODIES, message, "less, or a larger -XX:MaxDirectMemorySize");
        }
        return null;
    }

    private static String size(long bytes) {
        return bytes >= MIB ? bytes / MIB + "MiB" : new ByteSize(bytes).toString();
    }
}
