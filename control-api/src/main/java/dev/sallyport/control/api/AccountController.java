package dev.sallyport.control.api;

import dev.sallyport.control.account.ApiKey;
import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.account.DeviceCode;
import dev.sallyport.control.account.DeviceCodes;
import dev.sallyport.control.account.DevicePoll;
import dev.sallyport.control.account.Organization;
import dev.sallyport.control.account.SignUp;
import dev.sallyport.control.account.SignUpDraft;
import dev.sallyport.control.account.User;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.store.Written;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.annotation.ExecuteOn;
import org.jspecify.annotations.Nullable;

/** Sign-up, sign-in of devices, and who one is. */
@Controller("/v1")
@Consumes(MediaType.ALL)
@Produces(MediaType.ALL)
@ExecuteOn(ApiThreads.NAME)
final class AccountController {

    private static final String TAG = "Users and sign-in";

    private final Users users;
    private final ApiKeys keys;
    private final DeviceCodes devices;
    private final Idempotency idempotency;
    private final Bodies bodies;
    private final AppliedWaits waits;

    AccountController(Users users, ApiKeys keys, DeviceCodes devices, PolicyCalls.Requirements requirements) {
        this.users = users;
        this.keys = keys;
        this.devices = devices;
        this.idempotency = requirements.idempotency();
        this.bodies = requirements.bodies();
        this.waits = requirements.waits();
    }

    /** Who one is. */
    record Me(User user, Organization organization, Key apiKey) {

        /** The key of the request. */
        record Key(String id, String name) {}
    }

    /** The code of a poll. */
    record Poll(
            @Limits(min = 1, max = 64, description = "The device code.")
            String code) {

        /** Without the code. */
        @Override
        public String toString() {
            return "Poll[]";
        }
    }

    /** The code to approve. */
    record Approval(
            @Limits(min = 1, max = 64, description = "The device code.")
            String code) {

        /** Without the code. */
        @Override
        public String toString() {
            return "Approval[]";
        }
    }

    @Post("/users")
    @Operation(
            summary = "Sign up: makes a user, an organization and a first key.",
            tag = TAG,
            body = SignUpDraft.class,
            small = true,
            answer = SignUp.class,
            status = 201,
            errors = {"403 sign_up_closed", "409 email_taken"},
            open = true,
            rate = Operation.Rate.SIGN_UP,
            changes = true)
    HttpResponse<?> signUp(HttpRequest<?> request, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, null, body, () -> {
                    users.refuseIfClosed();
                    Written<SignUp> made =
                            users.add(bodies.readSmall(body, SignUpDraft.class), Requests.remoteAddress(request));
                    return Answer.of(201, made.value()).revision(made.position());
                })
                .toResponse();
    }

    @Get("/me")
    @Operation(summary = "Tell who the key belongs to.", tag = TAG, answer = Me.class)
    HttpResponse<?> me(Caller caller) {
        ApiKey key = keys.own(caller);
        return Answer.of(200, new Me(users.user(caller), users.organization(caller), new Me.Key(key.id(), key.name())))
                .toResponse();
    }

    @Post("/auth/device/code")
    @Operation(
            summary = "Ask for a code that a user approves in a browser.",
            tag = TAG,
            answer = DeviceCode.class,
            form = Operation.Form.DATA,
            open = true)
    HttpResponse<?> code() {
        return Answer.data(200, devices.request()).toResponse();
    }

    @Get("/auth/device/poll")
    @Operation(
            summary = "Ask what became of a code.",
            tag = TAG,
            query = Poll.class,
            answer = DevicePoll.class,
            form = Operation.Form.DATA,
            errors = "404 device_code_not_found",
            open = true,
            rate = Operation.Rate.POLL)
    HttpResponse<?> poll(HttpRequest<?> request) {
        Poll poll = BodyBinder.query(request.getParameters()::getAll, Poll.class);
        return Answer.data(200, devices.poll(poll.code())).toResponse();
    }

    @Post("/auth/device/approve")
    @Operation(
            summary = "Approve a code with a key instead of the page.",
            tag = TAG,
            body = Approval.class,
            small = true,
            answer = DevicePoll.class,
            form = Operation.Form.DATA,
            errors = {"404 device_code_not_found", "409 device_code_expired", "409 device_code_used", Operation.QUOTA},
            changes = true)
    HttpResponse<?> approve(HttpRequest<?> request, Caller caller, @Body byte @Nullable [] body) {
        return idempotency
                .once(request, caller, body, () -> {
                    Approval approval = bodies.readSmall(body, Approval.class);
                    return waits.asked(request, caller, () -> devices.poll(approval.code()))
                            .answer(devices.approve(caller, approval.code()), approved -> Answer.data(200, approved));
                })
                .toResponse();
    }
}
