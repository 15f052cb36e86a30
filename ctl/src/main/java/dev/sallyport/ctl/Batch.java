package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.ApiClient;
import dev.sallyport.ctl.client.ApiRefusal;
import dev.sallyport.ctl.client.Call;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.problem.ExitCode;
import dev.sallyport.ctl.problem.Problem;
import java.util.List;

/** Commands that do the same to several objects. */
final class Batch {

    private static final int NOT_FOUND = 404;

    private Batch() {}

    /**
     * Objects that have names of their own.
     *
     * @param prefix of identifiers; empty where names are the identifiers
     * @param word what one is called
     */
    record Kind(String path, String prefix, String word) {

        /** The path of an object with this identifier or name. */
        String path(ApiClient api, String named) throws Problem, InterruptedException {
            if (prefix.isEmpty() || Identifiers.isOne(prefix, named)) {
                return Call.below(path, named);
            }
            JsonNode found =
                    api.send(Call.get(path).query("name", named)).document().path("data");
            if (found.isEmpty()) {
                throw ApiRefusal.notFound(
                        "no " + word + " is called " + named + " (expected: one of sallyport ctl " + word + " list)");
            }
            return Call.below(path, found.get(0).path("id").asText());
        }
    }

    /** What is done to one object. */
    @FunctionalInterface
    interface Work<T> {

        /** Does it; a problem of this object alone does not keep the others from theirs. */
        void on(ApiClient api, T object) throws Problem, InterruptedException;
    }

    /** Deletes objects; returns the exit code of the first problem. */
    static int delete(Ctl ctl, Kind kind, List<String> names, boolean ignoreNotFound, Waiting waiting)
            throws Problem, InterruptedException {
        waiting.refuseOutOfRange();
        return each(ctl, names, ignoreNotFound, (api, name) -> {
            Reply reply = api.send(waiting.in(Call.delete(kind.path(api, name))));
            ctl.gone(reply, name, "deleted", waiting);
        });
    }

    /** Does the same to objects, one after the other; returns the exit code of the first problem. */
    static <T> int each(Ctl ctl, List<T> objects, boolean ignoreNotFound, Work<T> work)
            throws Problem, InterruptedException {
        int code = ExitCode.DONE;
        try (ApiClient api = ctl.signedIn()) {
            for (T object : objects) {
                try {
                    work.on(api, object);
                } catch (Problem problem) {
                    code = goOn(ctl.terminal(), problem, ignoreNotFound, code);
                }
            }
        }
        return code;
    }

    /**
     * Tells a problem of one object, so that the others are done.
     *
     * @param code the exit code until now
     * @return the exit code of the first problem
     * @throws Problem when it concerns the others as well
     */
    private static int goOn(Terminal terminal, Problem problem, boolean ignoreNotFound, int code) throws Problem {
        boolean refused = problem.exitCode() == ExitCode.REFUSED;
        if (!refused && problem.exitCode() != ExitCode.NOT_APPLIED) {
            throw problem;
        }
        if (ignoreNotFound && problem instanceof ApiRefusal refusal && refusal.status() == NOT_FOUND) {
            return code;
        }
        terminal.report(problem);
        return code == ExitCode.DONE ? problem.exitCode() : code;
    }
}
