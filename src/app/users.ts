/** Wires the users: creation, status, and what operators look up. */
import type { Audit } from '../audit/audit.ts';
import { createCreateUser } from '../users/create-user.ts';
import { createFindUsers, createRevealPhone } from '../users/find-users.ts';
import { createUserStatus } from '../users/user-status.ts';
import { createUsersStore } from '../users/users.store.ts';
import type { Core } from './core.ts';

export function openUsers({ db, clock, traced }: Core, audit: Audit) {
  const store = traced('users', createUsersStore(db));
  return {
    createUser: createCreateUser(store, clock),
    userStatus: createUserStatus(store),
    findUsers: createFindUsers(store, audit.recordLookup),
    revealPhone: createRevealPhone(store, audit.recordLookup),
  };
}
