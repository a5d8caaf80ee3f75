/** Fetches and tunnels: hops in order, addresses, kept connections, one retry. */
package io.loligo.server.upstream.attempt;
