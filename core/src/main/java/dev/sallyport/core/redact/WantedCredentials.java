package dev.sallyport.core.redact;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one exchange looks for, compiled or on its way there. Nearly always that is what the last exchange with the same
 * origin looked for, and ready. Confined to the exchange's loop.
 */
final class WantedCredentials {

    private static final WantedCredentials NOTHING = new WantedCredentials();

    /** What is looked for in all of a response. */
    private final List<CompletableFuture<CompiledCredentials>> everywhere = new ArrayList<>(2);

    /** What is looked for in the content of successful answers too. */
    private final List<CompletableFuture<CompiledCredentials>> inContent = new ArrayList<>(2);

    private @Nullable ResponseSearch search;

    private WantedCredentials() {}

    static WantedCredentials nothing() {
        return NOTHING;
    }

    /**
     * @param lasting values that further exchanges look for
     * @param once those of this exchange alone
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

    /** Whether nothing is to be waited for, be it that something failed. */
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

    /** Runs a task, on whatever thread, when {@link #isDone}. */
    void whenDone(Runnable task) {
        CompletableFuture<?>[] parts =
                Stream.concat(everywhere.stream(), inContent.stream()).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(parts).whenComplete((done, failure) -> task.run());
    }

    /** Whether something cannot be compiled. */
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

    /** What looks through the response; null when there is nothing to look for. Only when all is done and well. */
    @Nullable ResponseSearch search(RedactionFindings found) {
        if (search == null && !everywhere.isEmpty()) {
            search = new ResponseSearch(compiled(everywhere), compiled(inContent), found);
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
