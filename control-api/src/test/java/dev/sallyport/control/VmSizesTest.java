package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandbox.VmLimits;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A VM is as large as was configured when it was asked for, and counts as that, whatever is configured later. */
class VmSizesTest {

    private static final VmLimits SMALL = new VmLimits(64 << 20, 100, 20, 100 << 20);

    @TempDir
    Path folder;

    private String database;
    private @Nullable TestControl control;
    private @Nullable String key;
    private Api api;

    @BeforeEach
    void signUp() {
        database = TestDatabase.url(folder);
        begin("64MiB", "64MiB");
        key = control.newAccount()
                .post("/v1/api-keys", "{\"name\": \"k\"}")
                .json()
                .path("token")
                .asText();
        api = control.anonymous().withKey(key);
    }

    /** Ends the control plane, and starts it with other settings. */
    private void begin(String memory, String quota) {
        end();
        control = TestControl.replica(
                database,
                TestControl.NO_LIMITS + "  encryption: {key_file: \"" + folder.resolve("key")
                        + "\"}\n  sandboxes: {driver: fake, settings: {dir: \"" + folder.resolve("guests")
                        + "\"}, ssh: {ports: 10000-32767}, size: {memory: " + memory
                        + ", cpu_millis: 100, processes: 20, disk: 100MiB}, limits: {snapshot_storage_per_account: 200MiB, memory_per_account: "
                        + quota
                        + "}}\n");
        api = control.anonymous().withKey(key);
    }

    @AfterEach
    void end() {
        if (control != null) {
            control.close();
        }
    }

    private void refused(String taken) {
        Api.Reply reply = api.post(Sandbox.PATH, Sandbox.body("more"));
        assertThat(reply.error()).as(reply.text()).isEqualTo("409 quota_exceeded");
        assertThat(reply.text()).contains(taken + " are taken");
    }

    @Test
    void whatWasMadeBeforeCountsAsItIs() {
        Sandbox.ready(api, "a");

        begin("128MiB", "319MiB");

        Sandbox.ready(api, "b");
        refused("192MiB");
    }

    @Test
    void whatStartsAgainCountsAsItIs() {
        String id = Sandbox.stopped(api, "a").id();

        begin("128MiB", "192MiB");

        Sandbox.ready(api, "b");
        assertThat(Sandbox.of(api, id).start().status()).isEqualTo(200);
        refused("192MiB");
    }

    @Test
    void oneThatWasAskedForIsMadeAsItWasAskedFor() throws Exception {
        control.sandboxes().failAlways(FakeDriver.Step.CREATE, new VmException(Reason.UNAVAILABLE, "it is away"));
        String id = Sandbox.asked(api, "a").id();

        begin("128MiB", "1GiB");

        Sandbox vm = Sandbox.of(api, id).until("running/ready");
        assertThat(control.sandboxes().spec(vm.driverId()).orElseThrow().limits())
                .isEqualTo(SMALL);
    }

    @Test
    void whatACopyMayTakeGoesByTheDiskOfItsVm() throws Exception {
        Sandbox vm = Sandbox.ready(api, "a");
        control.sandboxes().hold(vm.driverId()::equals);
        assertThat(vm.snapshot(null).status()).isEqualTo(201);
        assertThat(vm.snapshot(null).status()).isEqualTo(201);
        Api other = control.newAccount();
        Sandbox larger = Sandbox.ready(other, "a");
        control.execute("update vm set disk_bytes = " + (128 << 20) + " where id = '" + larger.id() + "'");
        control.sandboxes().hold(larger.driverId()::equals);
        assertThat(larger.snapshot(null).status()).isEqualTo(201);

        assertThat(larger.snapshot(null).error()).isEqualTo("409 quota_exceeded");

        control.sandboxes().hold(null);
    }

    /** As earlier versions have left it. */
    @Test
    void oneOfWhichNoSizeIsKnownCountsAsWhatIsConfiguredAtTheNextStart() throws Exception {
        String id = Sandbox.stopped(api, "a").id();
        String unknown =
                "update vm set memory_bytes = null, cpu_millis = null, processes = null, disk_bytes = null where id = '"
                        + id + "'";
        control.execute(unknown);
        begin("65MiB", "65MiB");
        begin("128MiB", "193MiB");

        assertThat(Sandbox.of(api, id).start().status()).isEqualTo(200);
        Sandbox.ready(api, "b");
        refused("193MiB");
    }
}
