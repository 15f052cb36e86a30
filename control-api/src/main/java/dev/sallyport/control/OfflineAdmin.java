package dev.sallyport.control;

import dev.sallyport.spi.ConfigException;

/** The services of a control plane that does not run, for commands of the operator. */
final class OfflineAdmin implements AutoCloseable {

    private final ControlPlane plane;
    private final AdminCommands commands;

    private OfflineAdmin(ControlPlane plane, AdminCommands commands) {
        this.plane = plane;
        this.commands = commands;
    }

    /** Opens the database; fails when another process has it. */
    static OfflineAdmin open(ControlConfig config, Surroundings surroundings) throws ConfigException {
        ControlPlane plane = new ControlPlane(config, surroundings);
        try {
            return new OfflineAdmin(plane, plane.prepareOffline());
        } catch (ConfigException | RuntimeException e) {
            plane.close();
            throw e;
        }
    }

    AdminCommands commands() {
        return commands;
    }

    @Override
    public void close() {
        plane.close();
    }
}
