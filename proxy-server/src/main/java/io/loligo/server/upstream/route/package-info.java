/** The choice among the origin and parents. */
package io.loligo.server.upstream.route;
