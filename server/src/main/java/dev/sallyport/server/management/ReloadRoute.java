package dev.sallyport.server.management;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.config.ConfigProblem;
import java.util.List;

/** {@code POST /v1/reload}. */
final class ReloadRoute implements Route {

    private final Reloader reloader;

    ReloadRoute(Reloader reloader) {
        this.reloader = reloader;
    }

    @Override
    public String method() {
        return "POST";
    }

    @Override
    public String path() {
        return "/v1/reload";
    }

    @Override
    public ApiResponse answer(ApiRequest request) throws ApiException {
        ReloadResult result = reloader.tryReload();
        if (result == null) {
            throw new ApiException(409, "reload_in_progress", "a reload is running");
        }
        if (result instanceof ReloadResult.Refused refused) {
            throw invalid(refused.problems());
        }
        ReloadResult.Reloaded reloaded = (ReloadResult.Reloaded) result;
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("status", "ok").put("generation", reloaded.generation());
        details(body, reloaded);
        return ApiResponse.json(200, body);
    }

    /** What a reload left as it was. */
    static void details(ObjectNode body, ReloadResult.Reloaded reloaded) {
        list(body, "restart_required", reloaded.restartRequired());
        list(body, "stale", reloaded.stale());
    }

    private static void list(ObjectNode body, String name, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = body.putArray(name);
            values.forEach(list::add);
        }
    }

    private static ApiException invalid(List<ConfigProblem> problems) {
        ApiException refused = new ApiException(422, "invalid_config", "not reloaded: " + Reloader.count(problems));
        refused.error().set("problems", problems(problems));
        return refused;
    }

    /** Problems as the API writes them. */
    static ArrayNode problems(List<ConfigProblem> problems) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (ConfigProblem problem : problems) {
            String expected = problem.expected().isEmpty() ? "" : " (expected: " + problem.expected() + ")";
            list.addObject()
                    .put("file", problem.at().source())
                    .put("line", problem.at().line())
                    .put("column", problem.at().column())
                    .put("pointer", problem.pointer())
                    .put("message", problem.message() + expected);
        }
        return list;
    }
}
