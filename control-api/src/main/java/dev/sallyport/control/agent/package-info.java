/**
 * Agents: programs that work on a repository, each in a VM of its own.
 *
 * <p>Starting points: {@link dev.sallyport.control.agent.Agents} (what is asked for), {@link
 * dev.sallyport.control.agent.AgentKeeper} (what brings it about), {@link dev.sallyport.control.agent.AgentLogs} (what they
 * say).
 */
@NullMarked
package dev.sallyport.control.agent;

import org.jspecify.annotations.NullMarked;
