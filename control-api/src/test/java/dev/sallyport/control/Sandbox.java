package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.testsupport.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A VM of a test, through the API. */
final class Sandbox {

    static final String PATH = "/v1/vms";
    static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA ada@example.com";

    private final Api api;
    private final String path;

    private Sandbox(Api api, String id) {
        this.api = api;
        this.path = PATH + "/" + id;
    }

    static String body(String name) {
        return "{\"name\": \"" + name + "\", \"public_key\": \"" + KEY + "\"}";
    }

    /** A VM of which nothing but its creation is known. */
    static Sandbox asked(Api api, String name) {
        Api.Reply reply = api.post(PATH, body(name));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return new Sandbox(api, reply.json().path("id").asText());
    }

    static Sandbox of(Api api, String id) {
        return new Sandbox(api, id);
    }

    /** One that can be logged in to. */
    static Sandbox ready(Api api, String name) {
        return asked(api, name).until("running/ready");
    }

    static Sandbox stopped(Api api, String name) {
        Sandbox vm = ready(api, name);
        assertThat(vm.stop().status()).isEqualTo(200);
        return vm.until("stopped/stopped");
    }

    static String forkBody(String name, String snapshot) {
        return body(name).replace("}", ", \"snapshot_id\": \"" + snapshot + "\"}");
    }

    /** One that was made from a snapshot, and can be logged in to. */
    static Sandbox fork(Api api, String name, String snapshot) {
        Api.Reply reply = api.post(PATH, forkBody(name, snapshot));
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return new Sandbox(api, reply.json().path("id").asText()).until("running/ready");
    }

    /** Waits until a snapshot is in this state. */
    static JsonNode awaitSnapshot(Api api, String id, String status) {
        String path = "/v1/snapshots/" + id;
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Patience.usual())
                .untilAsserted(() ->
                        assertThat(api.get(path).data().path("status").asText()).isEqualTo(status));
        return api.get(path).data();
    }

    /** @param body null for none */
    Api.Reply snapshot(@Nullable String body) {
        return api.post(path + "/snapshots", body);
    }

    String id() {
        return path.substring(PATH.length() + 1);
    }

    VmId driverId() {
        return new VmId(id());
    }

    String path() {
        return path;
    }

    /** Status and detail. */
    static String state(JsonNode vm) {
        return vm.path("status").asText() + "/" + vm.path("status_detail").asText();
    }

    String state() {
        return state(api.get(path).json());
    }

    Sandbox until(String state) {
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Patience.usual())
                .untilAsserted(
                        () -> assertThat(state()).as(messages().toString()).isEqualTo(state));
        return this;
    }

    Api.Reply start() {
        return api.post(path + "/start", null);
    }

    Api.Reply stop() {
        return api.post(path + "/stop", null);
    }

    Api.Reply delete() {
        return api.delete(path);
    }

    Api.Reply force() {
        return api.delete(path + "?force=true");
    }

    /** What happened, the oldest first. */
    List<JsonNode> events() {
        List<JsonNode> events = new ArrayList<>();
        api.get(path + "/events?order=asc&limit=200").data().forEach(events::add);
        return events;
    }

    List<String> messages() {
        return events().stream().map(event -> event.path("message").asText()).toList();
    }

    /** The states that it went through. */
    List<String> states() {
        return events().stream().map(Sandbox::state).distinct().toList();
    }
}
