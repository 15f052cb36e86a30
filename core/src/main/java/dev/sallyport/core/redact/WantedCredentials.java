package dev.sallyport.core.redact;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The values that one exchange searches for, compiled or being compiled. Nearly always they are those of the last
 * exchange with the same origin, and ready. Confined to the exchange's loop.
 */
final class WantedCredentials {

    private static final WantedCredentials NOTHING = new WantedCredentials();

    /** Searched for in all of a response. */
    private final List<CompletableFuture<CompiledCredentials>> everywhere = new ArrayList<>(2);

    /** Also searched for in the content of successful responses. */
    private final List<CompletableFuture<CompiledCredentials>> inContent = new ArrayList<>(2);

    private @Nullable ResponseSearch search;

    private WantedCredentials() {}

    static WantedCredentials nothing() {
        return NOTHING;
    }

    /**
     * @param lasting values that further exchanges search for, too
     * @param once values of this exchange alone
     */
    static WantedCredentials of(CredentialCompiler compiler, CredentialSet lasting, CredentialSet once) {
        WantedCredentials wanted = new WantedCredentials();
        wanted.add(lasting, compiler::lasting);
        wanted.add(once, CredentialCompiler::once);
        return wanted;
    }

    private void add(CredentialSet set, Function<CredentialSet, CompletableFuture<CompiledCredentials>> compile) {
        if (set.isEmpty()) {
            return;
        }
        CompletableFuture<CompiledCredentials> all = compile.apply(set);
        everywhere.add(all);
        CredentialSet some = set.inContent();
        if (!some.isEmpty()) {
            inContent.add(some.equals(set) ? all : compile.apply(some));
        }
    }

    boolean isEmpty() {
        return everywhere.isEmpty();
    }

    /** Whether nothing is to be waited for any more, even if something has failed. */
    boolean isDone() {
        return areDone(everywhere) && areDone(inContent);
    }

    private static boolean areDone(List<CompletableFuture<CompiledCredentials>> parts) {
        for (int i = 0; i < parts.size(); i++) {
            if (!parts.get(i).isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Runs a task, on any thread, when {@link #isDone}. */
    void whenDone(Runnable task) {
        CompletableFuture<?>[] parts =
                Stream.concat(everywhere.stream(), inContent.stream()).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(parts).whenComplete((done, failure) -> task.run());
    }

    /** Whether something could not be compiled. */
    boolean failed() {
        return hasFailed(everywhere) || hasFailed(inContent);
    }

    private static boolean hasFailed(List<CompletableFuture<CompiledCredentials>> parts) {
        for (int i = 0; i < parts.size(); i++) {
            if (parts.get(i).isCompletedExceptionally()) {
                return true;
            }
        }
        return false;
    }

    /**
     * The search of the response; null when there is nothing to search for. Only when all is done and nothing has
     * failed.
     */
    @Nullable ResponseSearch search(RedactionFindings found, Supplier<PartMasks> masks) {
        if (search == null && !everywhere.isEmpty()) {
            search = new ResponseSearch(compiled(everywhere), compiled(inContent), found, masks);
        }
        return search;
    }

    private static List<CompiledCredentials> compiled(List<CompletableFuture<CompiledCredentials>> parts) {
        List<CompiledCredentials> compiled = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            compiled.add(parts.get(i).join());
        }
        return compiled;
    }

    @Override
    public String toString() {
        return "Wanted[" + everywhere.size() + ", " + inContent.size() + "]";
    }
}
