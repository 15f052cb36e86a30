package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.FakeProgram;
import dev.sallyport.sandbox.GuestTask;
import dev.sallyport.sandbox.TaskName;
import dev.sallyport.sandbox.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** An agent of a test, through the API. */
final class Agent {

    static final String PATH = "/v1/agents";
    static final String REPO = "https://git.test/ada/a.git";
    static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
    static final TaskName CLONE = new TaskName("agent-clone");
    static final TaskName HARNESS = new TaskName("agent-harness");
    static final TaskName PATCH = new TaskName("agent-patch");

    private final Api api;
    private final String id;

    private Agent(Api api, String id) {
        this.api = api;
        this.id = id;
    }

    static String body(String name) {
        return "{\"name\": \"" + name + "\", \"repo\": \"" + REPO + "\", \"prompt\": \"p\"}";
    }

    /** One of which nothing but its creation is known. */
    static Agent asked(Api api, String body) {
        Api.Reply reply = api.post(PATH, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return new Agent(api, reply.json().path("id").asText());
    }

    static Agent of(Api api, String id) {
        return new Agent(api, id);
    }

    /** Guests with a repository, whose harness runs until it is ended. */
    static BiFunction<TaskName, GuestTask, FakeProgram> working() {
        return (name, task) -> {
            if (name.equals(HARNESS)) {
                return new FakeProgram("", null);
            }
            return new FakeProgram(name.value().equals("agent-head") ? COMMIT + "\nmain\n" : "", 0);
        };
    }

    /** The same, where one task does something else. */
    static BiFunction<TaskName, GuestTask, FakeProgram> but(TaskName which, FakeProgram program) {
        return (name, task) -> name.equals(which) ? program : working().apply(name, task);
    }

    String id() {
        return id;
    }

    String path() {
        return PATH + "/" + id;
    }

    JsonNode json() {
        return api.get(path()).json();
    }

    VmId vm() {
        return new VmId(json().path("vm_id").asText());
    }

    Sandbox sandbox() {
        return Sandbox.of(api, vm().value());
    }

    Agent until(String status) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(json().path("status").asText()).as(log()).isEqualTo(status));
        return this;
    }

    Api.Reply delete() {
        return api.delete(path());
    }

    /** An event of a stream. */
    record Said(String id, String name, JsonNode data) {}

    /** What it has said until now, as events. */
    List<Said> events(Api client, String query) {
        Api.Reply reply = client.get(path() + "/logs" + query);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        List<Said> events = new ArrayList<>();
        for (String block : reply.text().split("\n\n", -1)) {
            String name = "";
            String position = "";
            StringBuilder data = new StringBuilder();
            for (String line : block.split("\n", -1)) {
                if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    position = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    data.append(line.substring(6));
                }
            }
            if (data.isEmpty()) {
                continue; // behind the last event
            }
            events.add(new Said(position, name, Api.tree(data.toString())));
        }
        return events;
    }

    /** What it has said until now, as text. */
    String log() {
        StringBuilder text = new StringBuilder();
        events(api, "?follow=false").stream()
                .filter(event -> event.name().equals("log"))
                .forEach(event -> text.append(event.data().path("text").asText()));
        return text.toString();
    }

    /** Waits until it has said this. */
    Agent untilSaid(String text) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(log()).contains(text));
        return this;
    }
}
