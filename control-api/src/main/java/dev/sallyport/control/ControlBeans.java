package dev.sallyport.control;

import dev.sallyport.control.account.AccountSettings;
import dev.sallyport.control.account.Mail;
import dev.sallyport.control.agent.AgentSettings;
import dev.sallyport.control.api.Deployment;
import dev.sallyport.control.api.RateLimits;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.crypto.Passwords;
import dev.sallyport.control.feed.EmbeddedDoor;
import dev.sallyport.control.feed.EmbeddedWorkloads;
import dev.sallyport.control.feed.GuestGate;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.sandbox.Gate;
import dev.sallyport.control.sandbox.SandboxSettings;
import dev.sallyport.control.store.Store;
import dev.sallyport.sandbox.VmDriver;
import io.micronaut.context.annotation.Factory;
import io.opentelemetry.api.OpenTelemetry;
import jakarta.inject.Singleton;
import java.time.Clock;

/** Gives the parts of this control plane to the services. */
@Factory
final class ControlBeans {

    private final ControlParts parts;

    ControlBeans(ControlParts parts) {
        this.parts = parts;
    }

    @Singleton
    Store store() {
        return parts.store();
    }

    @Singleton
    Envelope envelope() {
        return parts.envelope();
    }

    @Singleton
    Passwords passwords() {
        return parts.passwords();
    }

    @Singleton
    Mail mail() {
        return parts.mail();
    }

    @Singleton
    AccountSettings accounts() {
        return parts.accounts();
    }

    @Singleton
    RateLimits.Rates rates() {
        return parts.rates();
    }

    @Singleton
    Deployment deployment() {
        return parts.deployment();
    }

    @Singleton
    EmbeddedDoor embedded() {
        return parts.embedded();
    }

    @Singleton
    SandboxSettings sandboxes() {
        return parts.sandboxes().settings();
    }

    @Singleton
    AgentSettings agents() {
        return parts.sandboxes().agents();
    }

    @Singleton
    VmDriver driver() {
        return parts.sandboxes().driver();
    }

    @Singleton
    Gate gate(EmbeddedWorkloads workloads) {
        return new GuestGate(workloads, parts.sandboxes().guestsAreMadeUp());
    }

    @Singleton
    OpenTelemetry telemetry() {
        return parts.telemetry();
    }

    @Singleton
    Clock clock() {
        return parts.clock();
    }

    @Singleton
    Ids ids() {
        return parts.ids();
    }
}
