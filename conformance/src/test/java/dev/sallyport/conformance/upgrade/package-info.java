/**
 * Programs that switch to other protocols than WebSocket.
 *
 * <ul>
 *   <li>{@code DockerTest}: {@code docker exec}, against {@code DockerOrigin}
 *   <li>{@code KubectlTest}: {@code kubectl exec}, against {@code KubernetesOrigin}
 * </ul>
 */
@NullMarked
package dev.sallyport.conformance.upgrade;

import org.jspecify.annotations.NullMarked;
